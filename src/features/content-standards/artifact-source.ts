import type { Artifact } from '../../domain/content-standards/artifact.ts'

/** A package that delivered, and where it could have. */
export interface DeliveredLine {
  readonly packageId: string
  readonly channel: string | undefined
  /** ISO 3166-1 alpha-2; empty when the package is not bound to places. */
  readonly countries: readonly string[]
  readonly properties: readonly { readonly rid: string; readonly name: string; readonly tags: readonly string[] }[]
  /** UTC days with their impressions. */
  readonly days: readonly { readonly day: string; readonly impressions: number }[]
}

/** One collected artifact; its content is read on demand. */
export interface CollectedArtifact {
  readonly recordId: string
  readonly packageId: string
  readonly deliveredAt: string
  readonly country?: string
  readonly channel?: string
  read(): Promise<Artifact>
}

/** The one port to whatever keeps the content next to which ads ran. May be a network: never inside a database transaction. */
export interface ArtifactSource {
  readonly name: string
  readonly description: string
  /** Nothing was really served. */
  readonly simulated: boolean
  /** What was collected of the lines' delivery, in order of time. */
  collect(lines: readonly DeliveredLine[]): Promise<readonly CollectedArtifact[]>
}
