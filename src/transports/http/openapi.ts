import type { Schemas } from '../../protocol/schemas.ts'
import { readsOnly, respond } from './respond.ts'
import type { Route } from './server.ts'

/** `GET /openapi.json`: the description of directory and registry (OpenAPI 3.1), as they are authored in `schemas/`. */
export function openApiRoute(schemas: Schemas): Route {
  const body = Buffer.from(JSON.stringify(describe(schemas)))
  return async (request, response) => {
    if (!readsOnly(request, response)) return
    const headers = { 'Cache-Control': 'public, max-age=3600', 'Access-Control-Allow-Origin': '*' }
    respond(response, 200, { type: 'application/json', body, headers })
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
