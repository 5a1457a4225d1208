/** The span of a caller, as its `traceparent` names it. */
export interface RemoteParent {
  /** 32 lower-case hex digits. */
  readonly traceId: string
  /** 16 lower-case hex digits. */
  readonly spanId: string
  readonly traceFlags: number
}

const FORM = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/
const ONLY_ZEROS = /^0+$/

/**
 * Reads a `traceparent`; undefined for what is none, which is to be ignored (W3C Trace Context §3.2). Later versions may add members
 * at the end.
 */
export function parseTraceparent(text: string): RemoteParent | undefined {
  const [, version, traceId = '', spanId = '', flags = '', more] = FORM.exec(text.trim()) ?? []
  if (version === undefined || version === 'ff' || (version === '00' && more !== undefined)) return undefined
  if (ONLY_ZEROS.test(traceId) || ONLY_ZEROS.test(spanId)) return undefined
  return { traceId, spanId, traceFlags: Number.parseInt(flags, 16) }
}

/** Writes a `traceparent` of version 00. */
export function writeTraceparent({ traceId, spanId, traceFlags }: RemoteParent): string {
  return `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`
}
