import { type Context, ROOT_CONTEXT, trace } from '@opentelemetry/api'
import { parseTraceparent } from './traceparent.ts'

/** The context that a caller's `traceparent` represents; the root when it is none. */
export function parentIn(traceparent: unknown): Context {
  const parent = typeof traceparent === 'string' ? parseTraceparent(traceparent) : undefined
  return parent ? trace.setSpanContext(ROOT_CONTEXT, { ...parent, isRemote: true }) : ROOT_CONTEXT
}
