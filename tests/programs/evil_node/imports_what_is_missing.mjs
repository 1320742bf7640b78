import 'no-such-package-anywhere';
