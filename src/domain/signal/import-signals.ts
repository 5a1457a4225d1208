import type { Issue } from '../../protocol/errors.ts'
import { presentSignal } from './present-signal.ts'
import { type SignalDocument, type SignalsFile, signalOf } from './signal.ts'
import { signalIdKey, signalIdOf } from './signal-id.ts'

/** One problem of an import file. `pointer` is an RFC 6901 pointer into it. */
export interface SignalProblem {
  readonly pointer: string
  readonly message: string
}

/** JSON Schema checks that the caller supplies. */
export interface SignalValidators {
  /** schemas/signals-import.json */
  readonly file: (value: unknown) => readonly Issue[]
  /** AdCP signals/get-signals-response.json */
  readonly response: (value: unknown) => readonly Issue[]
}

export type SignalsImport =
  | { readonly ok: true; readonly file: SignalsFile }
  | { readonly ok: false; readonly problems: readonly SignalProblem[] }

/** Placeholder for this agent's address while a file is checked. */
const STAND_IN_AGENT = 'https://sales-agent.invalid/mcp'

/** Reads a parsed import file: all of it, or every problem that was found. */
export function importSignals(value: unknown, validators: SignalValidators): SignalsImport {
  const shape = validators.file(value)
  if (!isSignalsFile(value, shape)) return { ok: false, problems: shape.map(problemOf) }
  const problems = [
    ...value.signals.flatMap((signal, index) => officialProblems(signal, index, validators)),
    ...value.signals.flatMap((signal, index) => problemsOf(signal, index, value)),
    ...repeated(value),
  ]
  if (problems.length > 0) return { ok: false, problems }
  const { version, data_providers, signals } = value
  return { ok: true, file: { version, ...(data_providers && { data_providers }), signals } }
}

/** A file that our schema accepts has the shape of the type. */
function isSignalsFile(_value: unknown, issues: readonly Issue[]): _value is SignalsFile {
  return issues.length === 0
}

function problemOf({ pointer, message }: Issue): SignalProblem {
  return { pointer, message }
}

/** The signal as a buyer would get it has to be right by the official schema, with every set of its prices. */
function officialProblems(document: SignalDocument, index: number, { response }: SignalValidators): SignalProblem[] {
  const signal = signalOf(document, [], 'Publisher')
  const now = new Date(0)
  const sets = [document.pricing_options, ...(document.account_pricing ?? []).map(({ pricing_options }) => pricing_options)]
  const problems = sets.flatMap((prices) => {
    const view = { agentUrl: STAND_IN_AGENT, prices, deployments: [], destinations: undefined, now }
    const issues = response({ signals: [presentSignal(signal, view)] })
    return issues.map((issue) => problemOf({ ...issue, pointer: issue.pointer.replace(/^\/signals\/0/, `/signals/${index}`) }))
  })
  return [...new Map(problems.map((problem) => [`${problem.pointer}\n${problem.message}`, problem])).values()]
}

function problemsOf(signal: SignalDocument, index: number, { data_providers = [] }: SignalsFile): SignalProblem[] {
  const at = (member: string, message: string): SignalProblem => ({ pointer: `/signals/${index}/${member}`, message })
  const { signal_type, value_type, data_provider_domain: domain, range, categories } = signal
  const optionIds = signal.pricing_options.map(({ pricing_option_id }) => pricing_option_id)
  const platforms = (signal.platforms ?? []).map(({ platform }) => platform.toLowerCase())
  return [
    ...(domain !== undefined && !data_providers.some((provider) => provider.domain === domain)
      ? [at('data_provider_domain', 'is none of data_providers')]
      : []),
    ...(signal_type === 'marketplace' && domain === undefined
      ? [at('data_provider_domain', 'is required: others own the data')]
      : []),
    ...(signal_type !== 'marketplace' && domain !== undefined
      ? [at('data_provider_domain', `does not go with signal_type ${signal_type}`)]
      : []),
    ...(value_type === 'categorical' && !categories ? [at('categories', 'is required: the signal is categorical')] : []),
    ...(value_type === 'numeric' && !range ? [at('range', 'is required: the signal is numeric')] : []),
    ...(range && range.min >= range.max ? [at('range/max', 'must be above min')] : []),
    ...(new Set(optionIds).size < optionIds.length ? [at('pricing_options', 'has a pricing_option_id twice')] : []),
    ...(new Set(platforms).size < platforms.length ? [at('platforms', 'has a platform twice')] : []),
  ]
}

/** Two signals of one id could not be distinguished. */
function repeated({ signals }: SignalsFile): SignalProblem[] {
  const problems: SignalProblem[] = []
  const segments = new Set<string>()
  const ids = new Set<string>()
  signals.forEach((document, index) => {
    const id = signalIdKey(signalIdOf(signalOf(document, [], ''), STAND_IN_AGENT))
    if (segments.has(document.signal_agent_segment_id)) {
      problems.push({ pointer: `/signals/${index}/signal_agent_segment_id`, message: 'appears twice in the file' })
    } else if (ids.has(id)) {
      problems.push({ pointer: `/signals/${index}/signal_id`, message: 'appears twice in the catalog of its provider' })
    }
    segments.add(document.signal_agent_segment_id)
    ids.add(id)
  })
  return problems
}
