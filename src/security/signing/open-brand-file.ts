import { type FetchDocument, UntrustedAddress } from './remote-keys.ts'

/** How brand.json files are read. */
export interface BrandFileOptions {
  readonly fetchDocument: FetchDocument
  /** Strict: throws on a repeated key. */
  readonly parseJson: (body: Uint8Array) => unknown
}

/** AdCP key discovery: brand.json is at most this large. */
const MAX_BRAND_JSON_BYTES = 256 * 1024

/** Why there is no file: none is served; not now; not at an address that the outbound policy allows; no strict JSON. */
export type BrandFileProblem = 'not_found' | 'unreachable' | 'untrusted' | 'malformed'

/** A brand.json that cannot be read. */
export class BrandFileFault extends Error {
  override readonly name = 'BrandFileFault'
  readonly problem: BrandFileProblem

  constructor(problem: BrandFileProblem, cause: unknown) {
    super(`brand.json: ${problem}`, { cause })
    this.problem = problem
  }
}

/** Fetches one brand.json, or another file of a brand as large, and parses it, without judging what it says. Throws {@link BrandFileFault}. */
export async function openBrandFile(url: string, { fetchDocument, parseJson }: BrandFileOptions): Promise<unknown> {
  const { status, body } = await fetchDocument(url, { maxBytes: MAX_BRAND_JSON_BYTES }).catch((cause: unknown) => {
    throw new BrandFileFault(cause instanceof UntrustedAddress ? 'untrusted' : 'unreachable', cause)
  })
  if (status !== 200) {
    throw new BrandFileFault(status === 404 || status === 410 ? 'not_found' : 'unreachable', new Error(`answers ${status}`))
  }
  try {
    return parseJson(body)
  } catch (cause) {
    throw new BrandFileFault('malformed', cause)
  }
}
