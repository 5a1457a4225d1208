import type { Recovery } from './manifest.ts'

export type { Recovery }

/**
 * Codes outside the 3.0 enum. The first three split AUTH_REQUIRED by what a caller can do about it; most others are names that 3.1 has
 * (enums/error-code.json) for what 3.0 has no name for.
 */
export const ADDED_CODES: ReadonlyMap<string, Recovery> = new Map([
  ['AUTH_INVALID', 'terminal'],
  ['INSUFFICIENT_PERMISSIONS', 'correctable'],
  ['CREDENTIAL_IN_ARGS', 'terminal'],
  // Of 3.2, as the task is that gives it.
  ['CURSOR_EXPIRED', 'correctable'],
  ['PROPOSAL_NOT_FOUND', 'correctable'],
  ['BRAND_NOT_FOUND', 'correctable'],
  ['UNSUPPORTED_CLAIM_TYPE', 'correctable'],
  ['AMBIGUOUS_MATCH', 'correctable'],
  ['ACTION_NOT_ALLOWED', 'correctable'],
  ['BILLING_NOT_SUPPORTED', 'correctable'],
  ['BILLING_NOT_PERMITTED_FOR_AGENT', 'correctable'],
  ['PROVENANCE_REQUIRED', 'correctable'],
  ['PROVENANCE_DIGITAL_SOURCE_TYPE_MISSING', 'correctable'],
  ['PROVENANCE_DISCLOSURE_MISSING', 'correctable'],
  ['PROVENANCE_EMBEDDED_MISSING', 'correctable'],
  ['PROVENANCE_VERIFIER_NOT_ACCEPTED', 'correctable'],
  ['PROVENANCE_CLAIM_CONTRADICTED', 'correctable'],
  // Of 3.2: bids that are read in two ways, and those that do not fit the packages which have them.
  ['AMBIGUOUS_BIDDING_POLICY', 'correctable'],
  ['BIDDING_PLACEMENT_CONFLICT', 'correctable'],
  ['FORMAT_NOT_SUPPORTED', 'correctable'],
  ['BUDGET_CAP_REACHED', 'correctable'],
  ['CREATIVE_VALUE_NOT_ALLOWED', 'correctable'],
  ['READ_ONLY_SCOPE', 'correctable'],
  ['UNSUPPORTED_PROVISIONING', 'correctable'],
  ['UNSUPPORTED_GRANULARITY', 'correctable'],
  ['IDEMPOTENCY_IN_FLIGHT', 'transient'],
  ['CONFIGURATION_ERROR', 'terminal'],
])

/** Gives the recovery class of an error code, by the contract of the call that the error answers. */
export type RecoveryOf = (code: string) => Recovery

/** One schema or business-rule finding: `pointer` is an RFC 6901 JSON pointer into the request. */
export interface Issue {
  readonly pointer: string
  readonly message: string
  /** JSON Schema vocabulary: `required`, `type`, `minimum`, … (AdCP core/error.json). */
  readonly keyword: string
  /** The form that the value was to have, where another one may tell what was meant. Not on the wire. */
  readonly wanted?: WantedForm
}

export type WantedForm =
  | 'number'
  | 'country'
  | 'region'
  | 'language'
  | 'currency'
  | 'list'
  | 'flag'
  | 'moment'
  | 'day'
  | 'domain'
  | 'channel'
  | 'format'

export interface AdcpErrorOptions {
  /** JSONPath-lite of the offending request field, e.g. `packages[0].budget`. */
  readonly field?: string
  readonly issues?: readonly Issue[]
  readonly suggestion?: string
  /** Whole seconds, 1..3600 (AdCP core/error.json). */
  readonly retryAfter?: number
  /** Public, allow-listed facts. Never upstream text, never a value that came with the request. */
  readonly details?: Readonly<Record<string, unknown>>
  /** Only where it is another than that of the code. */
  readonly recovery?: Recovery
  /** Set when the refusal belongs to the transport: real HTTP status and headers before any JSON-RPC reply. */
  readonly http?: { readonly status: number; readonly headers?: Readonly<Record<string, string>> }
  /** The single errors that this one represents, when there are several. */
  readonly faults?: readonly AdcpError[]
  /** Private: goes to the log only. */
  readonly cause?: unknown
}

/**
 * The one error type that crosses module borders. `message` is public text; `cause` is private detail.
 * Source: AdCP core/error.json and the error-handling page.
 */
export class AdcpError extends Error {
  readonly code: string
  /** Set where it is another than that of the code, which the contract of the call gives. */
  readonly recovery?: Recovery
  readonly field?: string
  readonly issues?: readonly Issue[]
  readonly suggestion?: string
  readonly retryAfter?: number
  readonly details?: Readonly<Record<string, unknown>>
  readonly faults?: readonly AdcpError[]
  readonly http?: { readonly status: number; readonly headers?: Readonly<Record<string, string>> }

  constructor(code: string, message: string, options: AdcpErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.name = 'AdcpError'
    this.code = code
    if (options.recovery !== undefined) this.recovery = options.recovery
    if (options.field !== undefined) this.field = options.field
    if (options.issues !== undefined) this.issues = options.issues
    if (options.suggestion !== undefined) this.suggestion = options.suggestion
    if (options.retryAfter !== undefined) this.retryAfter = Math.min(3600, Math.max(1, Math.ceil(options.retryAfter)))
    if (options.details !== undefined) this.details = options.details
    if (options.faults !== undefined) this.faults = options.faults
    if (options.http !== undefined) this.http = options.http
  }

  /** The same error under another code. */
  withCode(code: string, faults: readonly AdcpError[] | undefined = this.faults): AdcpError {
    return this.#with(code, this.field, faults)
  }

  /** The same error about another field, which its words name too; undefined: about none. */
  withField(field: string | undefined, message = this.message): AdcpError {
    return this.#with(this.code, field, this.faults, message)
  }

  #with(code: string, field: string | undefined, faults: readonly AdcpError[] | undefined, message = this.message): AdcpError {
    const { recovery, issues, suggestion, retryAfter, details, http, cause } = this
    return new AdcpError(code, message, {
      ...(recovery !== undefined && { recovery }),
      ...(field !== undefined && { field }),
      ...(issues !== undefined && { issues }),
      ...(suggestion !== undefined && { suggestion }),
      ...(retryAfter !== undefined && { retryAfter }),
      ...(details !== undefined && { details }),
      ...(faults !== undefined && { faults }),
      ...(http !== undefined && { http }),
      ...(cause !== undefined && { cause }),
    })
  }
}

/** More findings, or a longer message, would bury what has to be repaired first; `issues` or `errors` has them all. */
export const MAX_FAULTS = 12
const MAX_MESSAGE = 2_000

/** One message for several findings, each a sentence that begins with its field. */
export function joinFaults(texts: readonly string[]): string {
  const [first = '', ...others] = [...new Set(texts)]
  if (others.length === 0) return shortened(first)
  const shown = [first, ...others].slice(0, MAX_FAULTS).map((text, index) => `(${index + 1}) ${text}`)
  const rest = others.length + 1 - shown.length
  return shortened(`${others.length + 1} faults: ${shown.join('; ')}${rest > 0 ? `; and ${rest} more` : ''}`)
}

function shortened(text: string): string {
  return text.length <= MAX_MESSAGE ? text : `${text.slice(0, MAX_MESSAGE - 1)}…`
}

/** Collects what is wrong with a request, so that a caller learns all of it at once. */
export class Faults {
  readonly #found: AdcpError[] = []

  /** Does a piece of work; undefined when it is refused with an AdcpError, which is stored. Other errors are thrown. */
  attempt<T>(work: () => T): T | undefined {
    try {
      return work()
    } catch (error) {
      if (!(error instanceof AdcpError)) throw error
      this.#found.push(...(error.faults ?? [error]))
      return undefined
    }
  }

  /** What was refused so far. */
  get found(): readonly AdcpError[] {
    return this.#found
  }

  /** Throws what was found: the error itself, or one with the code, field and details of the first that names all. */
  settle(): void {
    const [first, ...others] = this.#found
    if (first === undefined) return
    if (others.length === 0) throw first
    const { code, recovery, field, suggestion, details } = first
    throw new AdcpError(code, joinFaults(this.#found.map(({ message }) => message)), {
      faults: this.#found,
      ...(recovery !== undefined && { recovery }),
      ...(field !== undefined && { field }),
      ...(suggestion !== undefined && { suggestion }),
      ...(details !== undefined && { details }),
    })
  }
}

/** The AdcpErrors that `work` throws: none, one, or each of the faults that one error lists. Other errors are rethrown. */
export async function refusalsOf(work: () => unknown): Promise<readonly AdcpError[]> {
  try {
    await work()
    return []
  } catch (error) {
    if (!(error instanceof AdcpError)) throw error
    return error.faults ?? [error]
  }
}

/** An entry of `errors[]` and the body of `adcp_error` (AdCP core/error.json). */
export interface WireError {
  code: string
  message: string
  recovery?: Recovery
  field?: string
  issues?: Issue[]
  suggestion?: string
  retry_after?: number
  details?: Readonly<Record<string, unknown>>
}

/**
 * The public face of an error; private detail (`cause`) stays behind. Without `recoveryOf` an entry of an answer is left without the recovery class of
 * its code, which the step that presents the answer adds.
 */
export function toWireError(error: AdcpError, recoveryOf?: RecoveryOf): WireError {
  const recovery = error.recovery ?? recoveryOf?.(error.code)
  return {
    code: error.code,
    message: error.message,
    ...(recovery !== undefined && { recovery }),
    ...(error.field !== undefined && { field: error.field }),
    ...(error.issues !== undefined && {
      issues: error.issues.map(({ pointer, message, keyword }) => ({ pointer, message, keyword })),
    }),
    ...(error.suggestion !== undefined && { suggestion: error.suggestion }),
    ...(error.retryAfter !== undefined && { retry_after: error.retryAfter }),
    ...(error.details !== undefined && { details: error.details }),
  }
}
