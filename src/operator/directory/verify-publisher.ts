import type { Config } from '../../config/config.ts'
import { fetchAgentAuthorizations, type PublisherAuthorization, requireAgent } from '../../features/directory/client.ts'
import { directoryFetch } from '../../features/directory/service.ts'
import { checkSupplyPath, type SupplyPathReport, type SupplyPathRequest } from '../../features/directory/supply-path.ts'
import { type HeldBack, heldBack } from '../../features/directory/why.ts'
import type { Store } from '../../store/database.ts'
import type { OperatorContext } from '../operator-context.ts'

export type { PublisherAuthorization, SupplyPathReport }

/** What the publisher says itself, and until when this directory holds that back, where it does. */
export type VerifiedPublisher = PublisherAuthorization & Partial<HeldBack>

/**
 * Asks a publisher itself whether it authorises an agent. With a store the answer also says whether its index holds the agent back after a
 * revocation. Throws INVALID_REQUEST for a bad agent URL or domain.
 */
export async function verifyPublisher(
  { config, store, clock }: Pick<OperatorContext, 'config' | 'clock'> & { readonly store: Store | undefined },
  asked: { readonly domain: string; readonly agentUrl: string },
): Promise<readonly VerifiedPublisher[]> {
  const agent = requireAgent(asked.agentUrl)
  const answers = await fetchAgentAuthorizations(agent, [asked.domain], { fetch: directoryFetch(config) })
  const verified: VerifiedPublisher[] = []
  for (const answer of answers.values()) {
    const claim = answer.authorized && { domain: answer.publisherDomain, manager: answer.managerDomain, agentUrl: agent }
    verified.push({ ...answer, ...(claim && store && (await heldBack(store.read, claim, clock()))) })
  }
  return verified
}

/** Asks the owner of a collection and the host that carries it whether an agent may sell it there. Throws INVALID_REQUEST. */
export function verifySupplyPath(config: Config, asked: SupplyPathRequest): Promise<SupplyPathReport> {
  return checkSupplyPath(asked, { fetch: directoryFetch(config) })
}
