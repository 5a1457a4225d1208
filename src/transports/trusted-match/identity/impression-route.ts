import type { ImpressionOutcome, ReportedImpression } from '../../../features/trusted-match/identity/impression-tracker.ts'
import { PIXEL } from '../../http/pixel.ts'
import { type MatchResponse, replyRefusal } from '../match-exchange.ts'
import type { MatchRoute } from '../match-route.ts'

export interface ImpressionParts {
  /** Counts an impression. */
  readonly record: (impression: ReportedImpression) => Promise<ImpressionOutcome>
  /** Told how each impression was counted. */
  readonly onImpression: (outcome: ImpressionOutcome) => void
  readonly onFailure: (error: unknown) => void
}

const LONGEST = { tmpx: 1024, imp_id: 128, package_id: 256, seller: 1024 }

/**
 * `GET …/impression?package_id=&seller=&tmpx=&imp_id=`: the pixel of a creative. All impressions are answered alike, counted or not, so that a reply says
 * nothing of a user. A macro that the ad server left as it was, `{TMPX}`, is no value.
 */
export function impressionRoute({ record, onImpression, onFailure }: ImpressionParts): MatchRoute {
  return async (request, response) => {
    if (request.method !== 'GET') {
      response.setHeader('allow', 'GET')
      return replyRefusal(response, 405, 'This address takes GET.')
    }
    const query = new URL(request.url ?? '/', 'http://provider.invalid').searchParams
    const one = (name: keyof typeof LONGEST) => {
      const value = query.get(name) ?? ''
      return value === '' || value.length > LONGEST[name] || /^\{.*\}$/.test(value) ? undefined : value
    }
    const [packageId, sellerAgentUrl, tmpx, impressionId] = [one('package_id'), one('seller'), one('tmpx'), one('imp_id')]
    if (packageId === undefined || sellerAgentUrl === undefined)
      return replyRefusal(response, 400, 'An impression names its package_id and its seller.')
    try {
      onImpression(await record({ packageId, sellerAgentUrl, ...(tmpx && { tmpx }), ...(impressionId && { impressionId }) }))
      replyPixel(response)
    } catch (error) {
      onFailure(error)
      replyRefusal(response, 503, 'The impression could not be counted.')
    }
  }
}

function replyPixel(response: MatchResponse): void {
  response.statusCode = 200
  response.setHeader('cache-control', 'no-store')
  response.setHeader('content-type', 'image/gif')
  response.setHeader('content-length', PIXEL.length)
  response.setHeader('cross-origin-resource-policy', 'cross-origin')
  response.end(PIXEL)
}
