import type { Association, DesiredCreative, LineSettings, OrderSettings, ServingState } from './desired-order.ts'

/** The line that a step is about. */
export interface LineRef {
  readonly externalId: string
  /** The ad server's own id; absent while it has none. */
  readonly id?: string
}

/**
 * One change at the ad server. Each may be repeated: writing is under the external id that the ad server stores, and setting a state twice is
 * setting it once.
 */
export type Step =
  | { readonly kind: 'put_order'; readonly settings: OrderSettings }
  | { readonly kind: 'set_order_state'; readonly state: ServingState; readonly duplicateId?: string }
  | { readonly kind: 'put_creative'; readonly creative: DesiredCreative }
  | { readonly kind: 'put_line'; readonly line: LineRef; readonly settings: LineSettings }
  | { readonly kind: 'associate'; readonly line: LineRef; readonly associations: readonly Association[] }
  | { readonly kind: 'set_line_state'; readonly line: LineRef; readonly state: ServingState }

/** A step as logs and reasons name it: `put_line pkg_1`. */
export function describeStep(step: Step): string {
  switch (step.kind) {
    case 'put_order':
      return step.kind
    case 'set_order_state':
      return `${step.kind} ${step.state}${step.duplicateId === undefined ? '' : ` (duplicate ${step.duplicateId})`}`
    case 'put_creative':
      return `${step.kind} ${step.creative.externalId}`
    case 'set_line_state':
      return `${step.kind} ${step.line.externalId} ${step.state}`
    default:
      return `${step.kind} ${step.line.externalId}`
  }
}
