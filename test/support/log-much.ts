import { createLog } from '../../src/platform/log.ts'

/** Logs 20 MB, slowly, and says on standard output whether it is still there and has stayed small. */
const log = createLog('info')
for (let round = 0; round < 20; round++) {
  for (let line = 0; line < 1000; line++) log.info({ line, filler: 'x'.repeat(1000) }, 'a line')
  await new Promise((resolve) => setTimeout(resolve, 20))
}
process.stdout.write(process.memoryUsage().rss < 400_000_000 ? 'alive' : 'grown')
process.kill(process.pid, 'SIGKILL')
