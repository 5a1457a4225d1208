import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { compiledFolder, contractFolder } from './contract-source.ts'
import { AdcpError } from './errors.ts'
import { Schemas } from './schemas.ts'

/** The release whose schemas judge Trusted Match. */
const LINE = '3.2'

/** The schemas of Trusted Match. Throws CONFIGURATION_ERROR where the build did not obtain that release. */
export function matchSchemas(): Schemas {
  const folder = contractFolder(LINE)
  if (!existsSync(join(folder, 'trusted-match')))
    throw new AdcpError(
      'CONFIGURATION_ERROR',
      `Trusted Match needs the schemas of AdCP ${LINE}, which are not here; "sales-agent protocol" says what is, and "npm run build" fetches them`,
    )
  return new Schemas({ line: LINE, folder, compiled: compiledFolder(LINE) })
}
