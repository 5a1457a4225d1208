import { isObject } from '../../protocol/is-object.ts'

/**
 * What the verifier of the official provenance story finds: that story says so in the addresses of its assets, and its agent is at a reserved name
 * that nobody can ask (`--conformance`).
 */
export function storyObservation(assets: object): { readonly value: boolean; readonly confidence: number } | undefined {
  const urls = Object.values(assets)
    .flat()
    .flatMap((asset: unknown) => (isObject(asset) && typeof asset.url === 'string' ? asset.url : []))
  const value = urls.some((url) => url.includes('ai-generated-true'))
  return value || urls.some((url) => url.includes('ai-generated-false')) ? { value, confidence: 0.95 } : undefined
}
