// Loaded with --import: stops this process when its parent has ended, even if that was killed.
process.on('disconnect', () => process.kill(process.pid, 'SIGTERM'));
