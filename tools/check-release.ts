/**
 * `npx tsx tools/check-release.ts v1.0.0-rc.1`: whether the files agree with a tag of git. Prints `tag=` and the tag of npm (`next` for versions with a
 * hyphen, else `latest`); ends with 1 and the reason when package.json has another version or CHANGELOG.md no section of it.
 */
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** Reason for a refusal, or the tag of npm. `changelog` is the text of CHANGELOG.md. */
export function judgeRelease(
  gitTag: string,
  version: string,
  changelog: string,
): { readonly fault: string } | { readonly tag: string } {
  if (gitTag !== `v${version}`)
    return { fault: `the tag is ${gitTag}, package.json says ${version}: tag v${version}, or change the version` }
  const isListed = changelog.split('\n').some((line) => line.split(' ').slice(0, 2).join(' ') === `## ${version}`)
  if (!isListed)
    return { fault: `CHANGELOG.md has no section "## ${version}": give the changes since the version before that heading` }
  return { tag: version.includes('-') ? 'next' : 'latest' }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { version }: { version: string } = JSON.parse(readFileSync('package.json', 'utf8'))
  const judged = judgeRelease(process.argv[2] ?? '', version, readFileSync('CHANGELOG.md', 'utf8'))
  if ('fault' in judged) {
    console.error(`error: ${judged.fault}`)
    process.exitCode = 1
  } else console.log(`tag=${judged.tag}`)
}
