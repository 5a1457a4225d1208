import { createHash } from 'node:crypto'
import type { ArtifactSource, CollectedArtifact, DeliveredLine } from './artifact-source.ts'

/** Artifacts collected of each package and day: enough to sample every daypart. */
const A_DAY = 4
const QUARTER_DAY_MS = 6 * 3_600_000

/**
 * Artifacts of simulated delivery: texts made from the names and tags of the buy's own properties, which say that they are made up. Deterministic:
 * a record keeps its id and content however often it is asked for.
 */
export function createSimulatedArtifacts(): ArtifactSource {
  return {
    name: 'simulator',
    description: 'Simulated artifacts: no page was served; the texts are made from the tags of the properties and say so.',
    simulated: true,
    collect: async (lines) => lines.flatMap(collectLine).sort(inOrderOfTime),
  }
}

function collectLine(line: DeliveredLine): CollectedArtifact[] {
  if (line.properties.length === 0) return []
  return line.days.flatMap(({ day, impressions }) =>
    Array.from({ length: Math.min(A_DAY, impressions) }, (_, index) => artifactOf(line, day, index)),
  )
}

function artifactOf(line: DeliveredLine, day: string, index: number): CollectedArtifact {
  const seed = createHash('sha256')
    .update(JSON.stringify([line.packageId, day, index]))
    .digest()
  const pick = <T>(values: readonly T[], byte: number): T | undefined => values[(seed[byte] ?? 0) % values.length]
  const id = seed.toString('hex').slice(0, 16)
  const property = pick(line.properties, 0)
  const country = line.countries.length > 0 ? pick(line.countries, 1) : undefined
  const offset = index * QUARTER_DAY_MS + ((seed.readUInt32BE(2) ?? 0) % QUARTER_DAY_MS)
  return {
    recordId: `sim_${id}`,
    packageId: line.packageId,
    deliveredAt: new Date(Date.parse(`${day}T00:00:00Z`) + offset).toISOString(),
    ...(country !== undefined && { country }),
    ...(line.channel !== undefined && { channel: line.channel }),
    async read() {
      const about = property?.tags.length ? property.tags.join(', ').replaceAll('_', ' ') : 'no stated subject'
      const text = `Simulated content: nothing was served. The delivery simulator made this text from the tags of ${property?.name ?? 'a property'}: ${about}.`
      return {
        property_rid: property?.rid ?? '',
        artifact_id: `simulated_${id}`,
        published_time: `${day}T00:00:00Z`,
        assets: [
          { type: 'text', role: 'title', content: `Simulated page on ${property?.name ?? 'a property'}`, language: 'en' },
          { type: 'text', role: 'paragraph', content: text, language: 'en' },
        ],
        metadata: { keywords: about, simulated: true },
      }
    },
  }
}

function inOrderOfTime(a: CollectedArtifact, b: CollectedArtifact): number {
  return a.deliveredAt < b.deliveredAt || (a.deliveredAt === b.deliveredAt && a.recordId < b.recordId) ? -1 : 1
}
