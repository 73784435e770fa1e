/** Without tests, because dependency-cruiser counts a folder's tests as a part of the folder. */
export default {
  forbidden: [
    {
      name: 'no-folder-cycle',
      severity: 'error',
      scope: 'folder',
      from: {},
      to: { circular: true },
    },
  ],
  options: {
    tsPreCompilationDeps: true,
    doNotFollow: { path: '(^|/)node_modules/' },
    exclude: { path: '(^|/)(dist|tests)/|^(testing|nightly)/' },
  },
};
