#!/usr/bin/env node
import './heap-growth.ts'

// A static import would be loaded before the line above has run.
await import('./program.ts')
