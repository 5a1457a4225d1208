import { execFile, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Burst } from './load.ts'

/** A request for `wrk`, which sends what is written down: the parts of its body, with a new key between two of them. */
export interface WrittenTarget {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: readonly [string] | readonly [before: string, after: string]
  /** What every reply holds that is a success, and none that is not. */
  readonly mark: string
}

/** Whether this machine has `wrk`, a load generator in C that needs about a tenth of the processor that one in JavaScript needs. */
export function hasWrk(): boolean {
  return spawnSync('wrk', ['--version']).error === undefined
}

/** Keeps `connections` requests in flight for `seconds`. Throws when `wrk` fails. */
export async function wrkBurst(target: WrittenTarget, connections: number, seconds: number): Promise<Burst> {
  const folder = mkdtempSync(join(tmpdir(), 'sales-agent-wrk-'))
  const script = join(folder, 'requests.lua')
  writeFileSync(script, scriptOf(target))
  try {
    const words = ['--threads', '1', '--connections', String(connections), '--duration', `${seconds}s`, '--timeout', '10s']
    const { stdout } = await promisify(execFile)('wrk', [...words, '--script', script, target.url])
    const told: Told = JSON.parse(stdout.split('\n').find((line) => line.startsWith('{')) ?? stdout)
    return {
      perSecond: ((told.requests - told.failed) * 1e6) / told.us,
      p50Ms: told.p50 / 1000,
      p99Ms: told.p99 / 1000,
      p999Ms: told.p999 / 1000,
      requests: told.requests,
      failures: told.failed + told.lost,
    }
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** The line that the script prints. Times in microseconds. */
interface Told {
  readonly requests: number
  readonly us: number
  readonly p50: number
  readonly p99: number
  readonly p999: number
  /** Replies without the mark. */
  readonly failed: number
  /** Requests without a reply. */
  readonly lost: number
}

function scriptOf({ headers, body, mark }: WrittenTarget): string {
  const [before, after] = body
  const all = { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers }
  return `
local headers = {${Object.entries(all)
    .map(([name, value]) => `[ ${quoted(name)} ] = ${quoted(value)}`)
    .join(', ')}}
local before, after, mark = ${quoted(before)}, ${after === undefined ? 'nil' : quoted(after)}, ${quoted(mark)}
local run, sent = ${quoted(crypto.randomUUID())}, 0
failed = 0
local fixed
function request()
  if not after then
    fixed = fixed or wrk.format('POST', nil, headers, before)
    return fixed
  end
  sent = sent + 1
  return wrk.format('POST', nil, headers, before .. run .. sent .. after)
end
function response(status, _, text)
  if status ~= 200 or not string.find(text, mark, 1, true) then failed = failed + 1 end
end
local threads = {}
function setup(thread) table.insert(threads, thread) end
function done(summary, latency)
  local bad, lost = 0, summary.errors.connect + summary.errors.read + summary.errors.write + summary.errors.timeout
  for _, thread in ipairs(threads) do bad = bad + thread:get('failed') end
  print(string.format('{"requests":%d,"us":%d,"p50":%d,"p99":%d,"p999":%d,"failed":%d,"lost":%d}', summary.requests, summary.duration,
    latency:percentile(50), latency:percentile(99), latency:percentile(99.9), bad, lost))
end
`
}

/** Text as Lua takes it, whatever it holds. */
function quoted(text: string): string {
  if (text.includes(']==]')) throw new Error('the text holds what would end it')
  return `[==[${text}]==]`
}
