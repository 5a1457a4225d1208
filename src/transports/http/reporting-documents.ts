import { reportingDocuments } from '../../domain/reporting/documents.ts'
import { respond, respondJson } from './respond.ts'
import type { Route } from './server.ts'

/** They never change under their names, which are pinned by digests. */
const CACHE = { 'Cache-Control': 'public, max-age=86400' }

/** `GET /reporting/…`: the definition of reports and the schema of their rows, byte for byte as their digests say (AdCP 3.2, `report_definition_uri`). */
export function reportingDocumentRoute(origin: string): Route {
  const documents = new Map(Object.values(reportingDocuments(origin)).map(({ path, text }) => [path, text] as const))
  return async (request, response, [path = '']) => {
    if (request.method !== 'GET' && request.method !== 'HEAD')
      return respondJson(response, 405, { error: 'GET only' }, { Allow: 'GET, HEAD' })
    const text = documents.get(path)
    if (text === undefined) return respondJson(response, 404, { error: 'there is no such document' })
    respond(response, 200, { type: 'application/json', body: text, headers: CACHE })
  }
}
