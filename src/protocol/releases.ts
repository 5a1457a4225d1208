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

/**
 * The major version of an `adcp_version` such as `3.1`, `3.1-beta` or (from clients that send the patch too) `3.0.7`; undefined for
 * text of another form (AdCP core/version-envelope.json).
 */
export function majorOf(version: string): number | undefined {
  const digits = /^(0|[1-9]\d{0,3})(?:\.\d{1,9}){1,2}(?:-[a-zA-Z0-9.-]{1,64})?$/.exec(version)?.[1]
  return digits === undefined ? undefined : Number(digits)
}

/** Majors that callers may declare, ascending. */
export function supportedMajors(): readonly number[] {
  return [...new Set(RELEASES.map((release) => release.major))]
}

/** Release lines that callers may declare as `adcp_version`, ascending. */
export function supportedVersions(): readonly string[] {
  return RELEASES.map(({ line }) => line)
}
