throw new RangeError('no module today');
