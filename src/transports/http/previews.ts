import { findPreview } from '../../store/creative/previews.ts'
import type { Db } from '../../store/database.ts'
import { allowFraming, readsOnly, respondPage, respondText } from './respond.ts'
import type { Route } from './server.ts'

/** What any preview may load: files over https, nothing that runs. `sandbox` gives the page an origin of its own. */
const STATIC_POLICY =
  "default-src 'none'; img-src https: data:; media-src https:; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors *; sandbox allow-popups"

/** Third-party code runs in a frame without an origin inside a page without one; it may load what an ad loads. */
const SCRIPT_POLICY =
  "default-src 'none'; script-src 'unsafe-inline' https:; style-src 'unsafe-inline' https:; img-src https: data:; media-src https:; font-src https: data:; connect-src https:; frame-src https:; base-uri 'none'; form-action 'none'; frame-ancestors *; sandbox allow-scripts allow-popups"

/** `GET /previews/{id}`: a page that shows a creative, for a browser or a frame in somebody's tool. The id is the permission. */
export function previewRoute(db: Db, clock: () => Date): Route {
  return async (request, response, [previewId = '']) => {
    if (!readsOnly(request, response)) return
    const preview = await findPreview(db, previewId, clock())
    if (!preview) {
      respondText(response, 404, 'This preview does not exist or has expired.')
      return
    }
    // The policy says who may frame it.
    allowFraming(response)
    respondPage(response, 200, preview.html, {
      'Content-Security-Policy': preview.scripts ? SCRIPT_POLICY : STATIC_POLICY,
      'Cache-Control': 'private, no-store',
      'X-Robots-Tag': 'noindex',
    })
  }
}
