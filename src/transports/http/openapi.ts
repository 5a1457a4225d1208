import type { Schemas } from '../../protocol/schemas.ts'
import type { Route } from './server.ts'

/** `GET /openapi.json`: the description of directory and registry (OpenAPI 3.1), as they are authored in `schemas/`. */
export function openApiRoute(schemas: Schemas): Route {
  const body = Buffer.from(JSON.stringify(describe(schemas)))
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

function describe(schemas: Schemas): object {
  const directory = schemas.document('own:directory-openapi.json')
  const registry = schemas.document('own:registry-openapi.json')
  return {
    ...directory,
    info: {
      title: 'AdCP publisher directory and registry',
      version: '1.0.0',
      description:
        'Which publishers authorise a sales agent, and which agents, brands and publishers there are. Reading is public and rate limited; writing to the registry needs a platform identity.',
    },
    paths: members(directory.paths, registry.paths),
    components: componentsOf(directory.components, registry.components),
  }
}

function componentsOf(first: unknown, second: unknown): object {
  const [a, b] = [members(first), members(second)]
  return Object.fromEntries([...new Set([...Object.keys(a), ...Object.keys(b)])].map((name) => [name, members(a[name], b[name])]))
}

/** The members of two objects together; the names of both documents are distinguished by a test. */
function members(...objects: readonly unknown[]): Record<string, unknown> {
  return Object.assign({}, ...objects)
}
