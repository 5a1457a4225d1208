import { LRUCache } from 'lru-cache'
import { type BrandDocumentOptions, jwksUriInBrand } from '../../security/signing/brand-chain.ts'
import type { IssuerKeys } from '../../security/signing/governance-token-verify.ts'
import { type PublishedJwk, readJwks } from '../../security/signing/jwk.ts'
import { type KeySource, type ResolvedKey, resolvedKey } from '../../security/signing/keys.ts'
import { remoteKeys } from '../../security/signing/remote-keys.ts'
import type { RevocationSource } from '../../security/signing/revocation.ts'
import { publishedRevocations } from '../../security/signing/revocation-list.ts'

export interface IssuerKeysOptions extends BrandDocumentOptions {
  /** This agent as an issuer: its keys are at hand. */
  readonly own: { readonly issuer: string; published(): Promise<readonly PublishedJwk[]> }
}

/** Keys of governance agents as one buyer vouches for them; `brandDomain` is the domain that the operator registered for the buyer. */
export type KeysOfBuyer = (brandDomain: string | undefined) => IssuerKeys

interface Issuer {
  readonly keys: KeySource
  readonly revocations: RevocationSource
}

/** Governance agents whose keys are cached; the least recently used is evicted first. */
const MAX_ISSUERS = 500
const MAX_JWKS_BYTES = 64 * 1024

/**
 * Where keys come from: the `governance` entry of the brand.json of a buyer whose domain is known, else the well-known key set at the
 * origin of the agent that the buyer registered (AdCP security page, key discovery). Revocations come from the agent's origin.
 */
export function createIssuerKeys(options: IssuerKeysOptions): KeysOfBuyer {
  const issuers = new LRUCache<string, Issuer>({ max: MAX_ISSUERS })
  const issuerOf = (brandDomain: string | undefined, issuer: string): Issuer => {
    const name = JSON.stringify([brandDomain ?? null, issuer])
    const known = issuers.get(name) ?? open(brandDomain, issuer, options)
    issuers.set(name, known)
    return known
  }
  return (brandDomain) => ({
    async find(issuer, keyid, nowSeconds) {
      if (issuer === options.own.issuer) return ownKey(options, keyid)
      return issuerOf(brandDomain, issuer).keys.find(keyid, nowSeconds)
    },
    async status(issuer, key, jti, nowSeconds) {
      if (issuer === options.own.issuer) return 'good'
      return issuerOf(brandDomain, issuer).revocations.status(key, nowSeconds, jti)
    },
  })
}

function open(brandDomain: string | undefined, issuer: string, options: IssuerKeysOptions): Issuer {
  const wellKnown = (name: string) => new URL(`/.well-known/${name}`, issuer).href
  const jwksUri = async () =>
    brandDomain === undefined ? wellKnown('jwks.json') : jwksUriInBrand(issuer, brandDomain, options, 'governance')
  const jwks = async () => {
    const { status, body } = await options.fetchDocument(await jwksUri(), { maxBytes: MAX_JWKS_BYTES })
    if (status !== 200) throw new Error(`key set answers ${status}`)
    return readJwks(options.parseJson(body)) ?? []
  }
  return {
    keys: remoteKeys(issuer, jwksUri, options.fetchDocument),
    revocations: publishedRevocations(wellKnown('governance-revocations.json'), issuer, jwks, options.fetchDocument),
  }
}

async function ownKey({ own }: IssuerKeysOptions, keyid: string): Promise<ResolvedKey | undefined> {
  const jwk = (await own.published()).find(({ kid }) => kid === keyid)
  return jwk && resolvedKey(jwk, own.issuer)
}
