/**
 * A server of this program that dies by SIGKILL before its step of a number at an ad server: `server.mjs ROOT CONFIG DATA PORT STEPS`. ROOT: `dist`, the built program, which starts
 * in a third of the time, or `src`, with tsx; hence the imports by name. STEPS -1: it does not die by itself. Of the tool alone; no setting of the program does this.
 */
const [root = 'dist', file = '', data = '', port = '', steps = '-1'] = process.argv.slice(2)
const moduleOf = (path) => new URL(`../../${root}/${path}.${root === 'dist' ? 'js' : 'ts'}`, import.meta.url).href
const { startServer } = await import(moduleOf('compose/server'))
const { loadConfig } = await import(moduleOf('config/load-config'))
const { Schemas } = await import(moduleOf('protocol/schemas'))

/** Short, so that what a dead process left is taken up within a round or two: a lease outlasts three calls. */
const timing = {
  everyMs: 100,
  callMs: 900,
  leaseMs: 3_000,
  retryMs: 100,
  mostRetryMs: 1_000,
  checkMs: 2_000,
  reviewMs: 300,
  reportMs: 60_000,
}

let left = Number(steps)
const beforeStep = () => {
  if (left < 0) return
  if (left === 0) process.kill(process.pid, 'SIGKILL')
  left -= 1
}
const config = loadConfig(new Schemas(), { file, flags: { data, port: Number(port), host: '127.0.0.1' } })
await startServer(config, { reconciler: { timing, beforeStep } })
