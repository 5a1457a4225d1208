import { readsOnly, respond } from './respond.ts'
import type { Route } from './server.ts'

/** A transparent GIF of one pixel (GIF89a). */
export const PIXEL = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64')

/**
 * `GET /pixel?…`: answers the impression trackers of built creatives whose buyer names no tracker of its own. It keeps nothing:
 * delivery is what the ad server reports.
 */
export const pixelRoute: Route = async (request, response) => {
  if (!readsOnly(request, response)) return
  // Trackers are called from the pages of others.
  const headers = { 'Cross-Origin-Resource-Policy': 'cross-origin' }
  respond(response, 200, { type: 'image/gif', body: PIXEL, headers })
}
