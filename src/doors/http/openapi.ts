import type { Schemas } from '../../protocol/schemas.ts'
import type { Route } from './server.ts'

/** `GET /openapi.json`: the description of the directory (OpenAPI 3.1), as it is authored in `schemas/`. */
export function openApiRoute(schemas: Schemas): Route {
  const body = Buffer.from(JSON.stringify(schemas.document('own:directory-openapi.json')))
  return async (request, response) => {
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      response.writeHead(405, { Allow: 'GET, HEAD' }).end()
      return
    }
    response.writeHead(200, {
      'Content-Type': 'application/json',
      'Content-Length': body.length,
      'Cache-Control': 'public, max-age=3600',
      'Access-Control-Allow-Origin': '*',
    })
    response.end(request.method === 'HEAD' ? undefined : body)
  }
}
