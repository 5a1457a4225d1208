import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import type { Shard } from './order.ts'
import { type HostileReport, WORST_SHOWN } from './run.ts'

/** The parts of a part, one for each of `workers`: together they are it, each case once. */
export function partsOf({ part, of }: Shard, workers: number): readonly Shard[] {
  return Array.from({ length: workers }, (_, worker) => ({ part: part + of * worker, of: of * workers }))
}

/**
 * Runs the parts in processes of their own, each with a server of its own: turns are measured in processor time, so that one adds little to another. `words` are
 * the arguments of each beside its part. Rejects when one gives no report.
 */
export async function runInWorkers(
  shards: readonly Shard[],
  words: readonly string[],
  { signal, progress }: { readonly signal: AbortSignal; readonly progress: (line: string) => void },
): Promise<readonly HostileReport[]> {
  return Promise.all(shards.map((shard) => reportOf(shard, words, signal, progress)))
}

function reportOf(
  { part, of }: Shard,
  words: readonly string[],
  signal: AbortSignal,
  progress: (line: string) => void,
): Promise<HostileReport> {
  const program = [...process.execArgv, process.argv[1] ?? '', ...words, '--shard', `${part}/${of}`, '--json']
  const child = spawn(process.execPath, program, { stdio: ['ignore', 'pipe', 'pipe'] })
  signal.addEventListener('abort', () => child.kill('SIGINT'), { once: true })
  createInterface(child.stderr).on('line', (line) => progress(`${part}/${of}: ${line}`))
  return new Promise((resolve, reject) => {
    let text = ''
    child.stdout.on('data', (chunk: Buffer) => {
      text += chunk.toString('utf8')
    })
    child.once('error', reject)
    child.once('close', (code) => {
      if (text === '') reject(new Error(`part ${part}/${of} ended with ${code} and gave no report`))
      else resolve(JSON.parse(text))
    })
  })
}

/** One report of several that ran at once; `shard` is the part that they are together. */
export function merged(reports: readonly HostileReport[], shard: Shard | undefined): HostileReport {
  const [first] = reports
  if (!first) throw new Error('a report is made of one at least')
  const { shard: _own, ...shared } = first
  const sum = (of: (report: HostileReport) => number) => reports.reduce((total, report) => total + of(report), 0)
  const most = (of: (report: HostileReport) => number) => Math.max(...reports.map(of))
  const byPart: Record<string, number> = {}
  for (const [part, count] of reports.flatMap((report) => Object.entries(report.byPart)))
    byPart[part] = (byPart[part] ?? 0) + count
  const longest = ({ turns }: HostileReport['worst'][number]) => Math.max(0, ...turns.map(({ longestMs }) => longestMs))
  return {
    ...shared,
    ...(shard && { shard }),
    cases: sum(({ cases }) => cases),
    run: sum(({ run }) => run),
    tried: sum(({ tried }) => tried),
    requests: sum(({ requests }) => requests),
    seconds: most(({ seconds }) => seconds),
    mostRssMb: most(({ mostRssMb }) => mostRssMb),
    byPart,
    aged: reports.flatMap(({ aged }) => aged),
    faults: reports.flatMap(({ faults }) => faults),
    worst: reports
      .flatMap(({ worst }) => worst)
      .toSorted((a, b) => longest(b) - longest(a))
      .slice(0, WORST_SHOWN),
  }
}
