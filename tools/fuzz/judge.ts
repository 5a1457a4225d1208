import type { ConformanceReport } from '@adcp/sdk/conformance'

/** One reason to fail a fuzzing run. */
export interface Complaint {
  readonly seed: number
  readonly tool: string
  readonly message: string
}

/** Tools that change state. Every other tool is a read tool, and must accept some of its schema-valid requests. */
const WRITES: ReadonlySet<string> = new Set(['update_media_buy', 'update_property_list', 'update_content_standards'])

/** Everything that a report of the official fuzzer holds against an agent. Tools that the agent does not offer are left out. */
export function complaintsOf(report: ConformanceReport): Complaint[] {
  const seed = report.seed
  const failures = report.failures.map(({ tool, invariantFailures }) => ({ seed, tool, message: invariantFailures.join('; ') }))
  const starved = Object.entries(report.perTool)
    .filter(([tool, stats]) => !WRITES.has(tool) && !stats.skipped && stats.runs > 0 && stats.accepted === 0)
    .map(([tool, stats]) => ({ seed, tool, message: `none of ${stats.runs} schema-valid requests was accepted` }))
  const uneven = report.uniformError
    .filter(({ verdict }) => verdict === 'fail')
    .map(({ tool, differences }) => ({
      seed,
      tool,
      message: `absent and foreign ids are told apart: ${(differences ?? []).join('; ')}`,
    }))
  return [...failures, ...starved, ...uneven]
}

/** What a reply on the wire looked like to the observer. */
export interface Reply {
  readonly status: number
  readonly body: string
}

// A stack frame of V8, or an absolute path of a source or module file.
const STACK_FRAME = /\bat (?:async )?[\w.<>[\] ]+ \(?(?:file:\/\/|node:|\/|[A-Z]:\\)/
const SOURCE_PATH = /(?:file:\/\/|\/)[\w./@-]+\.(?:[cm]?[jt]s|sqlite3?|db)\b(?::\d+)?/
const MODULES = /node_modules/

/** What is wrong with a single reply, whatever was asked; undefined when nothing is. */
export function faultOf(reply: Reply): string | undefined {
  if (reply.status >= 500) return `HTTP ${reply.status}`
  if (STACK_FRAME.test(reply.body)) return 'a stack trace in the body'
  if (MODULES.test(reply.body) || SOURCE_PATH.test(withoutUrls(reply.body))) return 'a path of the server in the body'
  return undefined
}

function withoutUrls(body: string): string {
  return body.replaceAll(/https?:\/\/[^\s"\\]+/g, '')
}

// Words that a process writes when an exception or a rejection reached no handler.
const UNHANDLED = /unhandled\w*[ -]?(?:rejection|error)|uncaught ?exception|ERR_UNHANDLED/i

/** Lines of a server log that tell of an error which reached no handler. */
export function unhandledIn(log: string): string[] {
  return log.split('\n').filter((line) => UNHANDLED.test(line))
}
