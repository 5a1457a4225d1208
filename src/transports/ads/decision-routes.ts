import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AdPreviews } from '../../ad-serving/embedded/previews.ts'
import type { Decision, EmbeddedService } from '../../ad-serving/embedded/service.ts'
import { JsonRefused, parseJson } from '../../platform/decode/parse-json.ts'
import { senderAt } from '../../platform/net/body-room.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { BodyIncomplete, BodyTooLarge, readBody } from '../http/read-body.ts'
import type { Route } from '../http/server.ts'
import { queryOf, refusedMethod, reply, replyError, replyJson } from './ad-reply.ts'
import type { AdAddresses } from './addresses.ts'
import { type DecisionRequest, requestOfQuery, slotsOf, type VisitorParts, visitorOf } from './decision-request.ts'
import { presentAd } from './present-ad.ts'
import { emptyVast, type VastVersion, vastOf } from './vast.ts'

export interface DecisionParts extends VisitorParts {
  readonly embedded: Pick<EmbeddedService, 'decide'>
  readonly previews: Pick<AdPreviews, 'decide'>
  readonly addresses: AdAddresses
  /** Where a request comes from, behind trusted proxies too. */
  readonly addressOf: (request: IncomingMessage) => string | undefined
  /** Throws INVALID_REQUEST naming the field. */
  readonly readRequest: (value: unknown) => DecisionRequest
}

/** Twenty placements with everything that may be said of a page are a few kilobytes. */
const MOST_BYTES = 65_536

/** `GET` or `POST /ads/{publisher}/decide`: an ad for each placement of a page, or none. The type of the body is ignored: pages send text, which needs no preflight. */
export function decideRoute(parts: DecisionParts): Route {
  return async (request, response, [tenantId = '']) => {
    if (refusedMethod(request, response, ['GET', 'POST'])) return
    try {
      const value = request.method === 'POST' ? await bodyOf(request, parts) : requestOfQuery(queryOf(request), undefined)
      const asked = parts.readRequest(value)
      const decisions = await decide(parts, tenantId, asked, request)
      const placements = asked.placements.map(({ id, place }, index) => {
        const decision = decisions[index]
        return { id: id ?? String(index), place, ad: decision ? presentAd(decision, asked, parts.addresses) : null }
      })
      replyJson(response, 200, { placements })
    } catch (error) {
      replyError(response, error)
    }
  }
}

/** `GET /ads/{publisher}/vast?place=…&v=4.2`: a VAST document for a video player. */
export function vastRoute(parts: DecisionParts): Route {
  return async (request, response, [tenantId = '']) => {
    if (refusedMethod(request, response, ['GET'])) return
    try {
      const query = queryOf(request)
      const version: VastVersion = query.get('v')?.startsWith('3') ? '3.0' : '4.2'
      const asked = parts.readRequest(requestOfQuery(query, 'video'))
      const [decision] = await decide(parts, tenantId, asked, request)
      sendVast(response, decision ? vastOf(decision, version, asked, parts.addresses) : emptyVast(version))
    } catch (error) {
      replyError(response, error)
    }
  }
}

function sendVast(response: ServerResponse, body: string): void {
  reply(response, 200, { type: 'application/xml; charset=utf-8', body })
}

async function decide(
  parts: DecisionParts,
  tenantId: string,
  asked: DecisionRequest,
  request: IncomingMessage,
): Promise<readonly (Decision | undefined)[]> {
  const slots = slotsOf(asked)
  if (asked.preview !== undefined) {
    const previews = await parts.previews.decide(tenantId, asked.preview, slots)
    // Somebody examines a creative on the page: what else is there would only be counted.
    if (previews.some((each) => each !== undefined)) return previews
  }
  return parts.embedded.decide(tenantId, slots, visitorOf(tenantId, asked, request, parts))
}

async function bodyOf(request: IncomingMessage, { addressOf }: DecisionParts): Promise<unknown> {
  try {
    return parseJson(await readBody(request, { maxBytes: MOST_BYTES, sender: senderAt(addressOf(request)) }))
  } catch (error) {
    if (error instanceof BodyTooLarge)
      throw new AdcpError('INVALID_REQUEST', `the body has more than ${MOST_BYTES} bytes; ask for fewer placements at once`)
    if (error instanceof JsonRefused || error instanceof BodyIncomplete)
      throw new AdcpError('INVALID_REQUEST', `the body is not the JSON of a decision request: ${error.message}`)
    throw error
  }
}
