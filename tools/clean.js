// Removes the build output, so that a file whose source is gone does not live on.
import { rmSync } from 'node:fs'

rmSync(new URL('../dist', import.meta.url), { recursive: true, force: true })
