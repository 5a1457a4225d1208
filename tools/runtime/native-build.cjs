// Loaded before everything else by a Node of another version than the one that installed the project: its build of the native
// module is taken instead of the installed one, which it could not load.
const { dlopen } = process
process.dlopen = (module, file, ...flags) =>
  dlopen(module, file.endsWith('better_sqlite3.node') ? process.env.BETTER_SQLITE3_BUILD : file, ...flags)
