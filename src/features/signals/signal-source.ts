import type { Destination } from '@adcp/sdk/types'
import type { Standing } from '../../domain/signal/deployment.ts'
import type { SignalIndex } from '../../domain/signal/search-signals.ts'
import type { DataProvider, Signal } from '../../domain/signal/signal.ts'

/** The signals of a publisher. */
export interface SignalSet {
  readonly index: SignalIndex
  readonly providers: readonly DataProvider[]
  /** Every signal by segment id. */
  readonly byId: ReadonlyMap<string, Signal>
  /** Signals that are no longer on offer and may still be live somewhere. */
  readonly withdrawn: ReadonlyMap<string, Signal>
}

/** A segment that has to get to a destination, for one buyer. */
export interface ActivationOrder {
  /** Stable over retries: an order that is repeated under its id delivers nothing twice. */
  readonly deploymentId: string
  readonly signal: Signal
  readonly destination: Destination
  /** Distinguishes the buyers of a segment on a platform; opaque. */
  readonly buyer: string
  readonly requestedAt: string
}

/**
 * Where signals come from and what brings them to their destinations: a data platform behind this agent. Answers come in the order of
 * the orders. A source that cannot be reached throws.
 */
export interface SignalSource {
  readonly name: string
  /** What it is, in a sentence for people. */
  readonly description: string
  /** Whether nothing is really delivered anywhere. */
  readonly simulated: boolean
  load(publisher: { readonly tenantId: string; readonly name: string }): Promise<SignalSet>
  /** Begins to deliver. */
  activate(orders: readonly ActivationOrder[], now: Date): Promise<readonly Standing[]>
  /** The state of started orders. */
  standing(orders: readonly ActivationOrder[], now: Date): Promise<readonly Standing[]>
  /** Removes segments from their destinations; one that is not there is removed already. */
  deactivate(orders: readonly ActivationOrder[], now: Date): Promise<void>
}
