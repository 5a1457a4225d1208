import type { Route } from './server.ts'

/** A transparent GIF of one pixel (GIF89a). */
const PIXEL = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64')

/**
 * `GET /pixel?…`: answers the impression trackers of built creatives whose buyer names no tracker of its own. It keeps nothing:
 * delivery is what the ad server reports.
 */
export const pixelRoute: Route = async (request, response) => {
  const reading = request.method === 'GET' || request.method === 'HEAD'
  if (!reading) {
    response.writeHead(405, { Allow: 'GET, HEAD' })
    response.end()
    return
  }
  response.writeHead(200, {
    'Content-Type': 'image/gif',
    'Content-Length': PIXEL.length,
    'Cache-Control': 'no-store',
    // Trackers are called from the pages of others.
    'Cross-Origin-Resource-Policy': 'cross-origin',
  })
  response.end(request.method === 'HEAD' ? undefined : PIXEL)
}
