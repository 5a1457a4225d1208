import { type PinnedDocument, reportingDocuments } from '../../domain/reporting/documents.ts'
import { FORMS } from '../../domain/reporting/form.ts'
import { respond, respondJson } from './respond.ts'
import type { Route } from './server.ts'

/** They never change under their names, which are pinned by digests. */
const CACHE = { 'Cache-Control': 'public, max-age=86400' }

/** `GET /reporting/…`: the definitions of reports, the schemas of their rows and the rules of their digests, byte for byte as their digests say (AdCP 3.2, `report_definition_uri`). */
export function reportingDocumentRoute(origin: string): Route {
  const all = Object.values(FORMS).flatMap((form) => Object.values(reportingDocuments(origin, form)))
  const documents = new Map(all.map((document: PinnedDocument) => [document.path, document] as const))
  return async (request, response, [path = '']) => {
    if (request.method !== 'GET' && request.method !== 'HEAD')
      return respondJson(response, 405, { error: 'GET only' }, { Allow: 'GET, HEAD' })
    const document = documents.get(path)
    if (!document) return respondJson(response, 404, { error: 'there is no such document' })
    respond(response, 200, { type: document.type, body: document.text, headers: CACHE })
  }
}
