import { agentCaller } from '../../features/first-buy/agent-caller.ts'
import { type FirstBuy, makeFirstBuy } from '../../features/first-buy/first-buy.ts'
import type { FirstBuyParts, Step } from '../../features/first-buy/step.ts'
import { Schemas } from '../../protocol/schemas.ts'

export type { FirstBuy, Step }

/** Plays a first buy of the holder of `key` against the agent at `agentUrl`, call by call. Throws AdcpError for what the agent refuses. */
export function playFirstBuy(agentUrl: string, key: string, options: Omit<FirstBuyParts, 'call'>): Promise<FirstBuy> {
  return makeFirstBuy({ ...options, call: agentCaller(agentUrl, key, { ...options, schemas: new Schemas() }) })
}
