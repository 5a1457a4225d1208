/** What one protocol release asks of this server. A new release is one row here and one folder of schemas. */
export interface Release {
  readonly line: string
  readonly major: number
  /** Folder under the SDK's schema data. */
  readonly schemas: string
}

export const RELEASES: readonly Release[] = [{ line: '3.0', major: 3, schemas: '3.0' }]

/** The release that serves a declared major version; without a declaration, the newest. Undefined when unsupported. */
export function releaseFor(major: unknown): Release | undefined {
  if (major === undefined) return RELEASES.at(-1)
  return RELEASES.findLast((release) => release.major === major)
}

/** Majors that callers may declare, ascending. */
export function supportedMajors(): readonly number[] {
  return [...new Set(RELEASES.map((release) => release.major))]
}
