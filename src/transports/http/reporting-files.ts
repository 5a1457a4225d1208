import { hash } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { PrincipalRef } from '../../domain/identity/principal.ts'
import { filesAddress, SIGNED_SECONDS } from '../../domain/reporting/offering.ts'
import { AdcpError } from '../../protocol/errors.ts'
import type { FileLinks } from '../../security/secrets/file-links.ts'
import type { StoredFile } from '../../store/reporting/files.ts'
import { readsOnly, respond, respondJson } from './respond.ts'
import type { Route } from './server.ts'

/** What the door of files takes. */
export interface ReportFileParts {
  readonly origin: string
  readonly links: FileLinks
  readonly clock: () => Date
  /** The buyer behind the credentials of a request, counted against its limits. Throws AUTH_REQUIRED, AUTH_INVALID, INSUFFICIENT_PERMISSIONS, RATE_LIMITED. */
  readonly identify: (request: IncomingMessage) => Promise<PrincipalRef>
  /** Counts a request without credentials: by its address, or by the buyer that the address was signed for. Throws RATE_LIMITED. */
  readonly limit: (request: IncomingMessage, principal: PrincipalRef | undefined) => Promise<void>
  readonly find: (resourceRef: string, objectRef: string) => Promise<StoredFile | undefined>
  readonly list: (resourceRef: string) => Promise<readonly string[]>
  /** Whether the owner of files may still ask for the reports of their account. */
  readonly isAuthorized: (file: StoredFile) => Promise<boolean>
}

/** What is asked for beside the files: their addresses that need no credentials for a while. */
const ADDRESSES = 'addresses'
const MANIFEST = 'manifest.json'

/**
 * `GET /reporting/files/{resource}/{object}`: a file of a report, for the buyer that it was made for: by its credentials, or by an address that was signed
 * for it; `…/addresses` makes such addresses. What is not there and what is another's is answered alike.
 */
export function reportFileRoute(parts: ReportFileParts): Route {
  return async (request, response, [resourceRef = '', objectRef = '']) => {
    if (!readsOnly(request, response)) return
    try {
      await (objectRef === ADDRESSES ? answerAddresses : answerFile)(parts, { request, response, resourceRef, objectRef })
    } catch (error) {
      if (!(error instanceof AdcpError)) throw error
      const { status = 400, headers } = error.http ?? {}
      respondJson(response, status, { error: { code: error.code, message: error.message } }, headers)
    }
  }
}

interface Asked {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly resourceRef: string
  readonly objectRef: string
}

async function answerFile(parts: ReportFileParts, { request, response, resourceRef, objectRef }: Asked): Promise<void> {
  const query = queryOf(request)
  if (!query.has('signature')) {
    const file = await ownFile(parts, await parts.identify(request), resourceRef, objectRef)
    if (file) sendFile(response, file)
    else notFound(response)
    return
  }
  const isSigned = parts.links.isValid(resourceRef, query, parts.clock())
  const file = isSigned ? await parts.find(resourceRef, objectRef) : undefined
  await parts.limit(request, file)
  if (!isSigned) {
    const message = 'the address is not signed by us, or has expired; ask for another at …/addresses'
    throw new AdcpError('AUTH_INVALID', message, { http: { status: 403 } })
  }
  if (file && (await parts.isAuthorized(file))) sendFile(response, file)
  else notFound(response)
}

async function answerAddresses(parts: ReportFileParts, { request, response, resourceRef }: Asked): Promise<void> {
  const { origin, links, clock } = parts
  const manifest = await ownFile(parts, await parts.identify(request), resourceRef, MANIFEST)
  if (!manifest) return notFound(response)
  const expires = Math.floor(clock().getTime() / 1_000) + SIGNED_SECONDS
  const query = links.sign(resourceRef, expires)
  const files = (await parts.list(resourceRef)).map((name) => ({
    object_ref: name,
    url: `${filesAddress(origin)}${resourceRef}/${name}?${query}`,
  }))
  respondJson(response, 200, { resource_ref: resourceRef, expires_at: new Date(expires * 1_000).toISOString(), files })
}

async function ownFile(
  { find, isAuthorized }: ReportFileParts,
  { tenantId, principalId }: PrincipalRef,
  resourceRef: string,
  objectRef: string,
): Promise<StoredFile | undefined> {
  const file = await find(resourceRef, objectRef)
  const isOwn = file?.tenantId === tenantId && file.principalId === principalId
  return isOwn && (await isAuthorized(file)) ? file : undefined
}

function sendFile(response: ServerResponse, { mediaType, bytes }: StoredFile): void {
  // RFC 9530: what arrives is compared without the manifest.
  const headers = { 'Repr-Digest': `sha-256=:${hash('sha256', bytes, 'base64')}:`, 'Cache-Control': 'private, no-store' }
  respond(response, 200, { type: mediaType, body: bytes, headers })
}

function notFound(response: ServerResponse): void {
  respondJson(response, 404, { error: { code: 'REFERENCE_NOT_FOUND', message: 'there is no such file for you' } })
}

function queryOf({ url = '' }: IncomingMessage): URLSearchParams {
  const at = url.indexOf('?')
  return new URLSearchParams(at === -1 ? '' : url.slice(at + 1))
}
