import type { BrandRedirect } from './brand-json.ts'

/** A redirect, the house that it leads to, and where that house keeps its file. */
const MAX_FILES = 3

/** Why following ended without a file: a redirect that does not hold yet, or redirects that lead on too far or in a circle. */
export type NotFollowed = 'not-yet' | 'too-far'

/**
 * Opens a brand.json and goes where its redirects lead (AdCP brand.json, redirect variants), three files at most. `open` reads one file and may throw;
 * `redirectOf` gives its redirect.
 */
export async function followBrandFile<File extends object>(
  url: string,
  { open, redirectOf, now }: { open(url: string): Promise<File>; redirectOf(file: File): BrandRedirect | undefined; now: Date },
): Promise<File | NotFollowed> {
  const seen = new Set<string>()
  for (let at = url; seen.size < MAX_FILES && !seen.has(at); ) {
    seen.add(at)
    const file = await open(at)
    const redirect = redirectOf(file)
    if (redirect === undefined) return file
    if (redirect.effectiveAt !== undefined && Date.parse(redirect.effectiveAt) > now.getTime()) return 'not-yet'
    at = redirect.url
  }
  return 'too-far'
}
