import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Logger } from 'pino'
import type { Operation } from '../../features/registry/contract.ts'
import type { Answer } from '../../features/registry/operations.ts'
import { asRegistryRefusal, RegistryRefusal } from '../../features/registry/refusal.ts'
import type { Registry, RegistryCaller } from '../../features/registry/registry.ts'
import { afterText } from '../../platform/concurrency/yield-to-event-loop.ts'
import { JsonRefused, parseJson } from '../../platform/decode/parse-json.ts'
import { senderAt } from '../../platform/net/body-room.ts'
import type { PeerOf } from '../../platform/net/peer.ts'
import type { IdentifyPlatform } from '../../security/auth/platform-identity.ts'
import { bodilessCredentials } from './bodiless-credentials.ts'
import { BodyIncomplete, BodyTooLarge, readBody } from './read-body.ts'
import { queryArguments } from './registry-query.ts'
import { respondEmpty, respondJson, respondTagged } from './respond.ts'
import type { Route, Routes } from './server.ts'

export interface RegistryRouteOptions {
  readonly registry: Registry
  readonly identify: IdentifyPlatform
  readonly peerOf: PeerOf
  readonly clock: () => Date
  readonly log: Logger
  readonly newRequestId: () => string
}

/** AdCP registry: a list of domains to look up is at most 16 KB; brand manifests may be somewhat larger. */
const MAX_BODY_BYTES = 64 * 1024
const CACHE_CONTROL = 'public, max-age=60'

/** Every path of the registry's description, with its methods. */
export function registryRoutes(options: RegistryRouteOptions): Routes {
  const byPath = new Map<string, Operation[]>()
  for (const operation of options.registry.operations) {
    const same = byPath.get(operation.path.source)
    if (same) same.push(operation)
    else byPath.set(operation.path.source, [operation])
  }
  return [...byPath.values()].map((operations) => [operations[0]?.path ?? /^$/, pathRoute(operations, options)])
}

function pathRoute(operations: readonly Operation[], options: RegistryRouteOptions): Route {
  const allow = [...new Set(operations.flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method])))].join(', ')
  return async (request, response, captured) => {
    // Public data for anybody's page; what writes needs a credential that no browser adds by itself.
    response.setHeader('Access-Control-Allow-Origin', '*')
    if (request.method === 'OPTIONS') {
      const headers = { 'Access-Control-Allow-Methods': allow, 'Access-Control-Allow-Headers': 'authorization, content-type' }
      respondEmpty(response, 204, headers)
      return
    }
    try {
      const method = request.method === 'HEAD' ? 'GET' : request.method
      const operation = operations.find((each) => each.method === method)
      if (!operation) throw new RegistryRefusal(405, 'method_not_allowed', `only ${allow} is served here`, {}, { Allow: allow })
      await answer(operation, { request, response, captured }, options)
    } catch (error) {
      refuse(error, request, response, options)
    }
  }
}

interface Exchange {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly captured: readonly string[]
}

/** The caller is identified before the body is read, so that no anonymous caller makes this server read one. */
async function perform(
  operation: Operation,
  { request, captured }: Exchange,
  { registry, identify, peerOf, clock, newRequestId }: RegistryRouteOptions,
): Promise<Answer> {
  const credentials = bodilessCredentials(request, peerOf)
  let caller: RegistryCaller = { address: credentials.remoteAddress ?? '', requestId: newRequestId(), transport: 'http' }
  try {
    if (operation.needsIdentity) caller = { ...caller, identity: await identify(credentials, clock()) }
    const args = operation.hasBody
      ? await bodyArguments(request, credentials.remoteAddress)
      : queryArguments(operation, captured, credentials.target)
    return await registry.perform(operation, args, caller)
  } catch (error) {
    registry.refused(operation, refusalOf(error)?.code ?? 'internal_error', caller)
    throw error
  }
}

async function answer(operation: Operation, exchange: Exchange, options: RegistryRouteOptions): Promise<void> {
  const { status, body, headers: more } = await perform(operation, exchange, options)
  const { request, response } = exchange
  if (operation.method !== 'GET') {
    respondJson(response, status, body)
    return
  }
  const headers = { ...more, 'Cache-Control': CACHE_CONTROL }
  const text = JSON.stringify(body)
  await afterText(text)
  // When a page of the feed was made is no change of it.
  const lasting = 'freshness' in body ? JSON.stringify({ ...body, freshness: undefined }) : text
  respondTagged(request, response, { type: 'application/json', body: text, headers, lasting })
}

async function bodyArguments(request: IncomingMessage, address: string | undefined): Promise<Readonly<Record<string, unknown>>> {
  const type = (request.headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase()
  if (type !== 'application/json') throw new RegistryRefusal(415, 'not_json', 'the Content-Type must be application/json')
  const value = parseJson(await readBody(request, { maxBytes: MAX_BODY_BYTES, sender: senderAt(address) }))
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new RegistryRefusal(400, 'invalid_request', 'the body must be a JSON object')
  }
  return { ...value }
}

function refuse(error: unknown, request: IncomingMessage, response: ServerResponse, { log }: RegistryRouteOptions): void {
  if (error instanceof BodyIncomplete) {
    response.destroy()
    return
  }
  const refusal = refusalOf(error) ?? fault(error, log)
  // What is left of an unread body would be taken for the next request.
  const close = request.complete ? {} : { Connection: 'close' }
  respondJson(response, refusal.status, refusal.body, { ...close, ...refusal.headers })
}

function refusalOf(error: unknown): RegistryRefusal | undefined {
  return asRegistryRefusal(error) ?? bodyRefusal(error)
}

function bodyRefusal(error: unknown): RegistryRefusal | undefined {
  if (error instanceof BodyTooLarge) {
    return new RegistryRefusal(413, 'too_large', `the body is larger than ${MAX_BODY_BYTES} bytes`)
  }
  if (error instanceof JsonRefused) return new RegistryRefusal(400, 'invalid_request', error.message)
  return undefined
}

function fault(error: unknown, log: Logger): RegistryRefusal {
  log.error({ err: error }, 'the registry failed')
  return new RegistryRefusal(500, 'internal_error', 'the registry failed; try again later')
}
