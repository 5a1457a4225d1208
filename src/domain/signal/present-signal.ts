import { byDestination, type Deployment, isRunning, presentDeployment, presentOffer, type ShownDeployment } from './deployment.ts'
import { activationMinutes, type Destination, destinationKey } from './destination.ts'
import type { Signal, SignalPrice, SignalType, SignalValueType } from './signal.ts'
import { type SignalId, signalIdOf } from './signal-id.ts'

/** A signal as its buyer reads it. */
export interface ShownSignal {
  signal_id: SignalId
  signal_agent_segment_id: string
  name: string
  description: string
  value_type: SignalValueType
  categories?: string[]
  range?: { min: number; max: number }
  signal_type: SignalType
  data_provider: string
  coverage_percentage: number
  restricted_attributes?: readonly string[]
  policy_categories?: readonly string[]
  deployments: ShownDeployment[]
  pricing_options: SignalPrice[]
}

export interface SignalView {
  readonly agentUrl: string
  readonly prices: readonly SignalPrice[]
  /** The asking agent's own deployments of this signal. */
  readonly deployments: readonly Deployment[]
  /** Destinations that the request names; undefined: all that there are. */
  readonly destinations: readonly Destination[] | undefined
  readonly now: Date
}

/** A signal on the wire (AdCP get-signals-response), with what a governance agent matches against a plan. */
export function presentSignal(signal: Signal, view: SignalView): ShownSignal {
  const { document } = signal
  const { categories, range, restricted_attributes, policy_categories } = document
  return {
    signal_id: signalIdOf(signal, view.agentUrl),
    signal_agent_segment_id: signal.segmentId,
    name: document.name,
    description: document.description,
    value_type: document.value_type,
    ...(categories && { categories: [...categories] }),
    ...(range && { range: { min: range.min, max: range.max } }),
    signal_type: document.signal_type,
    data_provider: signal.providerName,
    coverage_percentage: document.coverage_percentage,
    ...(restricted_attributes && { restricted_attributes }),
    ...(policy_categories && { policy_categories }),
    deployments: deploymentsOf(signal, view),
    pricing_options: [...view.prices],
  }
}

/** What runs already, then where else the signal can go. */
function deploymentsOf(signal: Signal, { deployments, destinations, agentUrl, now }: SignalView): ShownDeployment[] {
  const running = byDestination(deployments.filter(isRunning))
  const offered: Destination[] = [
    ...(signal.document.platforms ?? []).map(({ platform }): Destination => ({ type: 'platform', platform })),
    { type: 'agent', agent_url: agentUrl },
  ]
  const places = destinations ?? [...[...running.values()].map(({ destination }) => destination), ...offered]
  const shown = new Map(places.map((place) => [destinationKey(place), place]))
  return [...shown].flatMap(([key, place]) => {
    const own = running.get(key)
    if (own) return [presentDeployment(own, now)]
    const minutes = activationMinutes(signal, place)
    return minutes === undefined ? [] : [presentOffer(place, minutes)]
  })
}
