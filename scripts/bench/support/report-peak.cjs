// Loaded before a program under measurement: at its end it writes the peak of its resident memory in KiB, and the
// milliseconds of processor that it took, to file descriptor 3.
process.on('exit', () => {
  const { maxRSS, userCPUTime, systemCPUTime } = process.resourceUsage();
  require('node:fs').writeSync(3, `${maxRSS} ${(userCPUTime + systemCPUTime) / 1000}`);
});
