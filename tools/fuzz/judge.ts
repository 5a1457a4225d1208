import type { ConformanceReport } from '@adcp/sdk/conformance'

/** One reason to fail a fuzzing run. */
export interface Complaint {
  readonly seed: number
  readonly tool: string
  readonly message: string
  /** Why the run does not fail for it after all. */
  readonly allowed?: string
}

/** Tools that change state. Every other tool is a read tool, and must accept some of its schema-valid requests. */
const WRITES: ReadonlySet<string> = new Set(['update_media_buy', 'update_property_list', 'update_content_standards'])

/** Members of which the fuzzer makes something else than the schema of the protocol asks for, whatever the agent thinks of the rest. */
const ILL_MADE = 'the fuzzer breaks the official schema in some member of each request'
/** Its dates are any ten characters of digits and dashes: of 50, hardly one lies in a calendar. */
const NO_DATES = 'the fuzzer asks for days such as 2814-63-90'

/** Tools that may refuse everything under some seed, because of what the fuzzer sends. */
const MAY_REFUSE_ALL: Readonly<Record<string, string>> = {
  get_products: ILL_MADE,
  get_media_buy_delivery: `${ILL_MADE}, or ${NO_DATES}`,
  get_creative_delivery: NO_DATES,
  si_get_offering: 'the fuzzer draws offering ids, and there are no fixtures of them',
  tasks_get: 'the fuzzer counts the answer about a submitted task as rejected',
}

/** Everything that a report of the official fuzzer holds against an agent. Tools that the agent does not offer are left out. */
export function complaintsOf(report: ConformanceReport): Complaint[] {
  const seed = report.seed
  const failures = report.failures.map(({ tool, invariantFailures }) => ({ seed, tool, message: invariantFailures.join('; ') }))
  const starved = Object.entries(report.perTool)
    .filter(([tool, stats]) => !WRITES.has(tool) && !stats.skipped && stats.runs > 0 && stats.accepted === 0)
    .map(([tool, stats]) => {
      const allowed = MAY_REFUSE_ALL[tool]
      const message = `none of ${stats.runs} schema-valid requests was accepted`
      return { seed, tool, message, ...(allowed !== undefined && { allowed }) }
    })
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
