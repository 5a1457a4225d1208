/** `npm run bench:trusted-match [-- --seconds 10 --rate 50]`: a router process with providers that hang and lie, and at full load. Exit status 1: a goal was missed. */
import { cpus, loadavg } from 'node:os'
import { parseArgs } from 'node:util'
import { contextRequest, identityRequest, KEY, registered } from '../../test/support/match-router.ts'
import { burst } from '../../tools/measure/load.ts'
import { hasWrk, wrkBurst } from '../../tools/measure/wrk.ts'
import { pacedLoad } from './paced.ts'
import { type Behaviour, type BenchProvider, LIE, startBenchProvider } from './provider.ts'
import { type RouterProcess, startRouterProcess } from './router-process.ts'

const { values: options } = parseArgs({
  options: { seconds: { type: 'string', default: '10' }, rate: { type: 'string', default: '50' } },
})
const SECONDS = Number(options.seconds)
const RATE = Number(options.rate)
/** `incomplete`: the share of answers that may lack a provider that answers, because this machine had no time for it before the deadline. */
const GOALS = { p95Ms: 50, perSecond: 2_000, rssMb: 120, incomplete: 0.01 }
/** The router's default, named so that the table is true when the default changes. */
const DEADLINE_MS = 40
const CONNECTIONS = 32
const HEADERS = { 'content-type': 'application/json', authorization: `Bearer ${KEY}` }
const PATHS = [
  ['/context', contextRequest],
  ['/identity', identityRequest],
] as const
type RequestOf = (more: object) => object

/** Whether every goal was met. */
const outcome = { met: true }
const goal = (met: boolean) => {
  outcome.met &&= met
  return met ? 'met' : '**missed**'
}
const print = (line = '') => process.stdout.write(`${line}\n`)
const table = (...columns: string[]) => print(`| ${columns.join(' | ')} |\n|${'---|'.repeat(columns.length)}`)
const row = (...cells: (string | number)[]) => print(`| ${cells.join(' | ')} |`)
const at = (times: readonly number[], share: number) =>
  times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? Number.NaN

/** Runs with providers and a router of its own, which asks each of them over its default deadline. */
async function withRouter(
  behaviours: readonly Behaviour[],
  measure: (router: RouterProcess, providers: readonly BenchProvider[]) => Promise<void>,
): Promise<void> {
  const providers = await Promise.all(behaviours.map((behaviour, index) => startBenchProvider(`p${index}`, behaviour)))
  // Longer than the deadline, which has to be what ends the waiting.
  const registrations = providers.map((provider, index) => registered(`provider_${index}`, provider, { timeout_ms: 1_000 }))
  const router = await startRouterProcess(registrations, { deadlineMs: DEADLINE_MS })
  try {
    await measure(router, providers)
  } finally {
    await router.stop()
    await Promise.all(providers.map((provider) => provider.stop()))
  }
}

const packagesIn = (answer: string): number => {
  const { offers, eligible_package_ids: eligible } = JSON.parse(answer)
  return (offers ?? eligible ?? []).length
}

/** Ten providers: seven answer, two hang, one lies. Each is asked on every request. */
async function measureDeadline(path: string, requestOf: RequestOf): Promise<void> {
  const behaviours: Behaviour[] = [...Array<Behaviour>(7).fill('answers'), 'hangs', 'hangs', 'lies']
  await withRouter(behaviours, async (router, providers) => {
    const load = {
      url: `http://127.0.0.1:${router.port}${path}`,
      headers: HEADERS,
      bodyOf: (index: number) => JSON.stringify(requestOf({ request_id: `r-${index}` })),
      judge: (answer: string) =>
        answer.includes(LIE) || packagesIn(answer) > 7 ? 'wrong' : packagesIn(answer) < 7 ? 'incomplete' : 'right',
      perSecond: RATE,
    }
    await pacedLoad({ ...load, seconds: 3 })
    for (const { asked } of providers) asked.count = 0
    const { times, wrong, incomplete } = await pacedLoad({ ...load, seconds: SECONDS })
    const asked = providers.map((provider) => provider.asked.count / times.length)
    row(
      path,
      times.length,
      ...[0.5, 0.95, 0.99].map((share) => at(times, share).toFixed(1)),
      `${wrong}: ${goal(wrong === 0)}`,
      `${incomplete}: ${goal(incomplete <= times.length * GOALS.incomplete)}`,
      `${Math.min(...asked).toFixed(2)} to ${Math.max(...asked).toFixed(2)}: ${goal(asked.every((share) => share === 1))}`,
      goal(at(times, 0.95) < GOALS.p95Ms),
      `${router.rssMb().toFixed(0)}: ${goal(router.rssMb() < GOALS.rssMb)}`,
    )
  })
}

/** Two providers that answer at once; they run in this process, and the load comes from `wrk` where it is installed. */
async function measureLoad(path: string, requestOf: RequestOf): Promise<void> {
  await withRouter(['answers', 'answers'], async (router, providers) => {
    const url = `http://127.0.0.1:${router.port}${path}`
    const [start = '', end = ''] = JSON.stringify(requestOf({ request_id: '#' })).split('#')
    const run = (seconds: number) =>
      hasWrk()
        ? wrkBurst({ url, headers: HEADERS, body: [start, end], mark: '"p1"' }, CONNECTIONS, seconds)
        : burst(
            {
              url,
              headers: HEADERS,
              body: () => `${start}${crypto.randomUUID()}${end}`,
              succeeded: (reply) => reply.includes('"p1"'),
            },
            CONNECTIONS,
            seconds,
          )
    await run(3)
    for (const { asked } of providers) asked.count = 0
    const [cpu, before] = [router.cpuMs(), await router.outcomes()]
    const { perSecond, p50Ms, p99Ms, requests, failures } = await run(SECONDS)
    const after = await router.outcomes()
    const late = after.timeouts - before.timeouts
    // A reply without the mark is explained by a provider that was late; what is not is a fault.
    const wrong = Math.max(0, failures - late) + after.errors - before.errors
    const cpuUs = ((router.cpuMs() - cpu) * 1000) / requests
    // Requests that were under way at the end were asked and not counted.
    const asked = providers.map((provider) => provider.asked.count)
    const everyTime = asked.every((count) => count >= requests && count <= requests + 2 * CONNECTIONS)
    row(
      path,
      perSecond.toFixed(0),
      p50Ms.toFixed(1),
      p99Ms.toFixed(1),
      `${wrong}: ${goal(wrong === 0)}`,
      `${failures}: ${goal(failures <= requests * GOALS.incomplete)}`,
      cpuUs.toFixed(0),
      `${asked.map((count) => (count / requests).toFixed(2)).join(', ')}: ${goal(everyTime)}`,
      goal(perSecond >= GOALS.perSecond),
      `${router.rssMb().toFixed(0)}: ${goal(router.rssMb() < GOALS.rssMb)}`,
    )
  })
}

const machine = `${cpus()[0]?.model.trim() ?? 'unknown processor'}, ${cpus().length} cores, Node ${process.version}`
print(`${machine}, load average ${loadavg()[0]?.toFixed(1)}, load from ${hasWrk() ? 'wrk' : 'autocannon'}\n`)
print(`Ten providers, of which two hang and one lies; ${RATE} requests a second, deadline ${DEADLINE_MS} ms, times in ms\n`)
table(
  'path',
  'requests',
  'p50',
  'p95',
  'p99',
  'wrong answers',
  'without a provider that was late',
  'each asked, of requests',
  `p95 < ${GOALS.p95Ms}`,
  `RSS < ${GOALS.rssMb} MB`,
)
for (const [path, requestOf] of PATHS) await measureDeadline(path, requestOf)
print(`\nTwo providers that answer; ${CONNECTIONS} connections, everything on loopback, no answer from a cache, times in ms\n`)
table(
  'path',
  'a second',
  'p50',
  'p99',
  'wrong answers',
  'without a provider that was late',
  'router CPU µs',
  'each asked, of requests',
  `≥ ${GOALS.perSecond} a second`,
  `RSS < ${GOALS.rssMb} MB`,
)
for (const [path, requestOf] of PATHS) await measureLoad(path, requestOf)
if (!outcome.met) process.exitCode = 1
