console.log('printed at import');
process.stdout.write('written at import\n');

export { default } from '../node/steps.mjs';
