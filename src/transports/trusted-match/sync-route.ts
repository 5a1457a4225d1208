import { createHash } from 'node:crypto'
import { type AvailablePackage, notAuthorised, ownPackages } from '../../domain/trusted-match/synced-package.ts'
import { findUnfitValue } from '../../pipeline/find-unfit-value.ts'
import { mapSteps } from '../../platform/concurrency/steps.ts'
import { inTurns } from '../../platform/concurrency/yield-to-event-loop.ts'
import { isObject } from '../../protocol/is-object.ts'
import type { Schemas, Validate } from '../../protocol/schemas.ts'
import { headerOf, replyJson, replyRefusal } from './match-exchange.ts'
import type { MatchRoute } from './match-route.ts'
import { Malformed, readMatchJson } from './read-message.ts'
import { replyMalformed } from './reply-to-message.ts'

export interface SyncParts {
  readonly schemas: Schemas
  /** Sellers that are enrolled, each with the SHA-256 of its keys in hexadecimal. */
  readonly sellers: readonly { readonly agentUrl: string; readonly keys: readonly string[] }[]
  /** Why all packages of a seller are refused; undefined when they are not. */
  readonly refusalOf: (agentUrl: string) => Promise<string | undefined>
  /** Puts these packages in the place of all that the seller had synced. */
  readonly replace: (agentUrl: string, packages: readonly AvailablePackage[]) => Promise<void>
  readonly onFailure: (error: unknown) => void
}

/** Ten thousand packages with their formats and catalogs by name. */
const MAX_BYTES = 16 * 1024 * 1024
const MAX_PACKAGES = 10_000

/**
 * `POST …/packages` with `{ "packages": [AvailablePackage, …] }`: all that a seller has active now, in the place of what it sent before. The
 * key of the sync is the enrolment of one seller agent, so packages of others are refused one by one; the rest is taken. All are refused, and nothing is
 * changed, while the publishers that the seller is enrolled for do not authorise it.
 */
export function syncRoute({ schemas, sellers, refusalOf, replace, onFailure }: SyncParts): MatchRoute {
  const validate = schemas.validator('trusted-match/available-package.json')
  const byHash = new Map(sellers.flatMap(({ agentUrl, keys }) => keys.map((hash) => [hash, agentUrl] as const)))
  return async (request, response) => {
    if (request.method !== 'POST') {
      response.setHeader('allow', 'POST')
      return replyRefusal(response, 405, 'This address takes POST.')
    }
    const [, token = ''] = /^bearer ([\x21-\x7e]{1,512})$/i.exec(headerOf(request, 'authorization') ?? '') ?? []
    const agentUrl = byHash.get(createHash('sha256').update(token).digest('hex'))
    if (token === '' || agentUrl === undefined) {
      response.setHeader('www-authenticate', 'Bearer realm="trusted-match-sync"')
      return replyRefusal(response, 401, 'Send the key of an enrolled seller as "Authorization: Bearer KEY".')
    }
    try {
      const packages = await packagesIn(await readMatchJson(request, MAX_BYTES, { kind: 'seller', id: agentUrl }), validate)
      const refusal = await refusalOf(agentUrl)
      if (refusal !== undefined) return replyJson(response, { accepted: 0, errors: notAuthorised(packages, refusal) })
      const { own, refused } = await inTurns(ownPackages(packages, agentUrl))
      await replace(agentUrl, own)
      replyJson(response, { accepted: own.length, errors: refused })
    } catch (error) {
      if (error instanceof Malformed) return replyMalformed(response, error)
      onFailure(error)
      replyRefusal(response, 503, 'The packages could not be stored.')
    }
  }
}

async function packagesIn(body: unknown, validate: Validate): Promise<readonly AvailablePackage[]> {
  const packages = isObject(body) ? body.packages : undefined
  if (!Array.isArray(packages)) throw new Malformed('The body has to be {"packages": [...]}.')
  if (packages.length > MAX_PACKAGES) throw new Malformed(`A sync has at most ${MAX_PACKAGES} packages.`)
  const judged = mapSteps(packages, (each: unknown, index) => {
    requireFit(each, `packages[${index}]`)
    const [issue] = validate(each)
    if (isPackage(each, issue)) return each
    throw new Malformed(`packages[${index}]${issue?.pointer.replaceAll('/', '.')} ${issue?.message}.`)
  })
  return inTurns(judged)
}

/** The bounds of texts and lists that hold for every call: an address of megabytes takes seconds to be brought into the form in which sellers are compared. */
function requireFit(each: unknown, path: string): void {
  const unfit = findUnfitValue(each, {})
  if (unfit) throw new Malformed(`${unfit.field === '' ? path : `${path}.${unfit.field}`} ${unfit.problem}.`)
}

/** The schema describes {@link AvailablePackage}. */
function isPackage(_value: unknown, issue: unknown): _value is AvailablePackage {
  return issue === undefined
}
