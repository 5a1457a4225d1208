import { AdcpError } from '../../protocol/errors.ts'
import type { Db } from '../../store/database.ts'
import {
  type EmbeddedAssociationRow,
  type EmbeddedCreativeRow,
  putEmbeddedCreatives,
  replaceEmbeddedAssociations,
} from '../../store/embedded/creatives.ts'
import { addEmbeddedFileUse, findBundleFile, findEmbeddedFile } from '../../store/embedded/files.ts'
import { billedKind } from './billing.ts'
import { uncounted } from './counted-creative.ts'
import {
  type DirectLine,
  type HostedBundle,
  hostedBundleOf,
  hostedFileOf,
  settingsOfDirectLine,
  termsOfDirectCreative,
} from './direct-order.ts'
import { creativeIdOf } from './embedded-ids.ts'
import type { CreativeTerms } from './line.ts'
import type { AssociationDocument, CreativeDocument } from './stored-documents.ts'

/** A line with where it is in its order. */
export interface PlacedLine {
  readonly orderId: string
  readonly lineId: string
  readonly line: DirectLine
  readonly at: string
}

/** Replaces the creatives of lines. Throws INVALID_REQUEST for an archive that is not hosted, and for a creative that never makes the event that an open line is charged for. */
export async function putDirectCreatives(tx: Db, tenantId: string, lines: readonly PlacedLine[], now: Date): Promise<void> {
  const creatives: EmbeddedCreativeRow[] = []
  const associations: EmbeddedAssociationRow[] = []
  const uses: (readonly [creativeId: string, fileId: string])[] = []
  for (const { orderId, lineId, line, at } of lines)
    for (const [index, creative] of line.creatives.entries()) {
      const bundle =
        creative.html5 && (await requireBundle(tx, tenantId, creative.html5.url, `${at}.creatives[${index}].html5.url`))
      const anchor = `${line.line_id}/${creative.creative_id}`
      const creativeId = creativeIdOf(orderId, anchor)
      const fileId = bundle?.bundleId ?? (await findHostedFile(tx, tenantId, creative))
      if (fileId !== undefined) uses.push([creativeId, fileId])
      const terms = termsOfDirectCreative(creative, bundle)
      if (Date.parse(line.ends_at) > now.getTime()) requireCounted(line, terms, `${at}.creatives[${index}]`)
      const document: CreativeDocument = { externalId: creative.creative_id, contentVersion: '', terms }
      creatives.push({ creativeId, orderId, anchor, document: JSON.stringify(document) })
      const association: AssociationDocument = {
        association: { creativeExternalId: creative.creative_id, weight: creative.weight ?? null, placementIds: null },
      }
      associations.push({ lineId, creativeId, document: JSON.stringify(association) })
    }
  await putEmbeddedCreatives(tx, tenantId, creatives, now)
  // A file that came with the order of a buyer is kept for the copy of the order too.
  for (const [creativeId, fileId] of uses) await addEmbeddedFileUse(tx, tenantId, creativeId, fileId)
  const lineIds = lines.map(({ lineId }) => lineId)
  await replaceEmbeddedAssociations(tx, tenantId, lineIds, associations)
}

function requireCounted(line: DirectLine, terms: CreativeTerms, at: string): void {
  const { model } = settingsOfDirectLine(line).price
  const reason = uncounted(model, terms)
  if (reason === undefined) return
  const member = billedKind(model) === 'click' ? 'click_url' : 'video'
  throw new AdcpError('INVALID_REQUEST', `creative ${terms.name} is not counted on line ${line.line_id}: ${reason}`, {
    field: `${at}.${member}`,
  })
}

/** The hosted file that a creative shows; undefined where its address is another. */
async function findHostedFile(
  db: Db,
  tenantId: string,
  { image, video, native }: DirectLine['creatives'][number],
): Promise<string | undefined> {
  const fileId = hostedFileOf(tenantId, image?.url ?? video?.url ?? native?.image ?? '')
  return fileId === undefined ? undefined : (await findEmbeddedFile(db, tenantId, fileId))?.fileId
}

/** Throws INVALID_REQUEST for an address that is no page of an archive hosted for this publisher. */
async function requireBundle(db: Db, tenantId: string, url: string, field: string): Promise<HostedBundle> {
  const bundle = hostedBundleOf(tenantId, url)
  if (bundle && (await findBundleFile(db, tenantId, bundle.bundleId, bundle.entryPoint)) !== undefined) return bundle
  throw new AdcpError(
    'INVALID_REQUEST',
    'is not the page of an HTML5 archive that is hosted here; host the archive (sales-agent creatives upload, or Host a file in the console) and send the address that this gives',
    { field },
  )
}
