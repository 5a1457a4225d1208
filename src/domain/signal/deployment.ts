import { type Destination, destinationKey } from './destination.ts'

/** How a live signal is targeted at its destination (AdCP core/activation-key). */
export type ActivationKey = { type: 'segment_id'; segment_id: string } | { type: 'key_value'; key: string; value: string }

/** A destination with the state of a signal there (AdCP core/deployment.json). */
export type ShownDeployment = Destination & {
  is_live: boolean
  activation_key?: ActivationKey
  estimated_activation_duration_minutes?: number
  /** ISO 8601. */
  deployed_at?: string
}

/** State of the delivery of a segment: on its way, delivered, refused by the destination, or withdrawn. */
export type DeploymentStatus = 'pending' | 'live' | 'failed' | 'ended'

/** One signal at one destination, for one agent and account. */
export interface Deployment {
  readonly deploymentId: string
  readonly segmentId: string
  readonly destination: Destination
  /** The price that the buyer committed to. */
  readonly pricingOptionId: string
  readonly status: DeploymentStatus
  readonly activationKey: ActivationKey | undefined
  /** Task that reports on it while it is pending. */
  readonly taskId: string | undefined
  readonly requestedAt: string
  /** When a pending one should be live. */
  readonly readyAt: string
  readonly deployedAt: string | undefined
}

/** The state of an order at a destination, as the signal source reports it. */
export type Standing =
  | { readonly state: 'live'; readonly key: ActivationKey }
  | { readonly state: 'pending'; readonly readyAt: string }
  | { readonly state: 'failed'; readonly reason: string }

/** A deployment after its source was asked about it. */
export function withStanding(deployment: Deployment, standing: Standing, now: Date): Deployment {
  switch (standing.state) {
    case 'live':
      return {
        ...deployment,
        status: 'live',
        activationKey: standing.key,
        deployedAt: now.toISOString(),
        readyAt: now.toISOString(),
      }
    case 'pending':
      return { ...deployment, status: 'pending', readyAt: standing.readyAt }
    case 'failed':
      return { ...deployment, status: 'failed' }
  }
}

/** Whether a destination has the segment or is about to. */
export function isRunning({ status }: Deployment): boolean {
  return status === 'live' || status === 'pending'
}

/** The deployments of these destinations, by the key of the destination. */
export function byDestination(deployments: readonly Deployment[]): ReadonlyMap<string, Deployment> {
  return new Map(deployments.map((deployment) => [destinationKey(deployment.destination), deployment]))
}

/** A deployment as the wire has it (AdCP core/deployment). The key is shown to the agent that activated it alone: it owns the row. */
export function presentDeployment(
  { destination, status, activationKey, readyAt, deployedAt }: Deployment,
  now: Date,
): ShownDeployment {
  const place = presentPlace(destination)
  if (status === 'live' && activationKey) {
    return { ...place, is_live: true, activation_key: activationKey, ...(deployedAt && { deployed_at: deployedAt }) }
  }
  if (status !== 'pending') return { ...place, is_live: false }
  const minutes = Math.max(0, Math.ceil((Date.parse(readyAt) - now.getTime()) / 60_000))
  return { ...place, is_live: false, estimated_activation_duration_minutes: minutes }
}

/** A destination that has nothing, and how long an activation takes where that is asked. */
export function presentOffer(destination: Destination, minutes?: number): ShownDeployment {
  return {
    ...presentPlace(destination),
    is_live: false,
    ...(minutes !== undefined && { estimated_activation_duration_minutes: minutes }),
  }
}

function presentPlace(destination: Destination): Destination {
  const account = destination.account === undefined ? {} : { account: destination.account }
  return destination.type === 'platform'
    ? { type: 'platform', platform: destination.platform, ...account }
    : { type: 'agent', agent_url: destination.agent_url, ...account }
}
