import type { Config } from '../../config/config.ts'
import { fetchAgentAuthorizations, type PublisherAuthorization, requireAgent } from '../../features/directory/client.ts'
import { directoryFetch } from '../../features/directory/service.ts'
import { checkSupplyPath, type SupplyPathReport, type SupplyPathRequest } from '../../features/directory/supply-path.ts'
import { type HeldBack, heldBack } from '../../features/directory/why.ts'
import type { Store } from '../../store/database.ts'
import { listClaimSources } from '../../store/directory/directory-sources.ts'
import type { OperatorContext } from '../operator-context.ts'

export type { PublisherAuthorization, SupplyPathReport }

/**
 * What the publisher says itself, and what this directory shows otherwise: until when it holds a yes back, or the address of the manager's file by which it
 * lists an agent that the publisher itself does not name.
 */
export type VerifiedPublisher = PublisherAuthorization & Partial<HeldBack> & { readonly listedBy?: string }

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
    const listedBy = !answer.authorized && store ? await managerThatLists(store, answer.publisherDomain, agent) : undefined
    verified.push({
      ...answer,
      ...(claim && store && (await heldBack(store.read, claim, clock()))),
      ...(listedBy !== undefined && { listedBy }),
    })
  }
  return verified
}

/** Address of the manager's file alone by which the index lists an agent for a publisher. */
async function managerThatLists(store: Store, domain: string, agent: string): Promise<string | undefined> {
  const claims = await listClaimSources(store.read, domain, agent)
  return claims.find((claim) => claim.shown === 'authorized' && claim.route === 'fanout')?.file_url
}

/** Asks the owner of a collection and the host that carries it whether an agent may sell it there. Throws INVALID_REQUEST. */
export function verifySupplyPath(config: Config, asked: SupplyPathRequest): Promise<SupplyPathReport> {
  return checkSupplyPath(asked, { fetch: directoryFetch(config) })
}
