import type { IncomingMessage } from 'node:http'
import { A2A_VERSION_HEADER, AgentCard } from 'a2a'
import { readsOnly, respondTagged } from '../http/respond.ts'
import type { Route } from '../http/server.ts'
import { legacyCard } from './card.ts'

/** Long enough to spare a client the card on every call, short enough that a newly granted task shows soon. */
const MAX_AGE_SECONDS = 60

/**
 * Serves the agent card. Clients of 1.0 say so in the `A2A-Version` header; the form of 0.3 is for everybody else. It depends on who
 * asks, as the list of tools does.
 */
export function cardRoute(cardOf: (request: IncomingMessage, publicTenant: string | undefined) => Promise<AgentCard>): Route {
  return async (request, response, [publicTenant]) => {
    if (!readsOnly(request, response)) return
    const card = await cardOf(request, publicTenant)
    const isCurrent = String(request.headers[A2A_VERSION_HEADER.toLowerCase()] ?? '').startsWith('1.')
    const body = JSON.stringify(isCurrent ? AgentCard.toJSON(card) : legacyCard(card))
    const headers = {
      'Cache-Control': `${request.headers.authorization === undefined ? 'public' : 'private'}, max-age=${MAX_AGE_SECONDS}`,
      Vary: `Authorization, ${A2A_VERSION_HEADER}`,
    }
    respondTagged(request, response, { type: 'application/json', body, headers })
  }
}
